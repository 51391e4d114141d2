/** What a check of a CRD's change is, and what it finds. */
import type { Crd, CrdVersion, Schema } from './schema.ts';

/**
 * What a change does to objects that exist, the worst first. `loses`: data that they have may be dropped.
 * `rejects`: they may be refused when they are next written. `alters`: they may be read or merged in another way.
 * `none`: nothing.
 */
export const EFFECTS = ['loses', 'rejects', 'alters', 'none'] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Change {
  readonly effect: Effect;
  /** What changed, without path or version: `the value "a" is no longer allowed`. */
  readonly message: string;
}

/** A node of the schema before and after. */
export interface NodePair {
  readonly old: Schema;
  readonly next: Schema;
  /** Whether it is the object as a whole. */
  readonly isRoot?: boolean;
}

/** Compares one node of a schema that is there before and after; told by its keywords alone. */
export interface NodeRule {
  readonly name: string;
  /** What it finds, in one sentence. */
  readonly meaning: string;
  /** The keywords that it understands: between all rules, every keyword there is. */
  readonly keywords: readonly string[];
  compare(pair: NodePair): readonly Change[];
}

/** A version of a CRD before and after; or two versions that are converted without a webhook. */
export interface VersionPair {
  readonly old: CrdVersion;
  readonly next: CrdVersion;
}

/** Compares all nodes of a version at once. */
export interface VersionRule {
  readonly name: string;
  readonly meaning: string;
  compare(pair: VersionPair, flat: FlatPair): readonly (Change & { readonly path: string })[];
}

/** The nodes of both schemas by path. */
export interface FlatPair {
  readonly old: ReadonlyMap<string, Schema>;
  readonly next: ReadonlyMap<string, Schema>;
}

/** Compares two CRDs apart from their schemas. */
export interface CrdRule {
  readonly name: string;
  readonly meaning: string;
  compare(old: Crd, next: Crd): readonly Change[];
}
