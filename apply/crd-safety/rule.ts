/** Interfaces of the rules that check a CRD's change, and of their findings. */
import type { Crd, CrdVersion, Schema } from './schema.ts';

/**
 * The effect of a change on existing objects, the worst first. `loses`: their data may be dropped. `rejects`: their
 * next write may be rejected. `alters`: they may be read or merged differently. `none`: no effect.
 */
export const EFFECTS = ['loses', 'rejects', 'alters', 'none'] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Change {
  readonly effect: Effect;
  /** The change, without path or version: `the value "a" is no longer allowed`. */
  readonly message: string;
}

/** A node of the schema before and after. */
export interface NodePair {
  readonly old: Schema;
  readonly next: Schema;
  /** Whether the node is the root of the object. */
  readonly isRoot?: boolean;
}

/** Compares one node of a schema before and after, by its keywords alone. */
export interface NodeRule {
  readonly name: string;
  /** The change that it finds, in one sentence. */
  readonly meaning: string;
  /** The keywords that it understands: the rules together understand every keyword. */
  readonly keywords: readonly string[];
  compare(pair: NodePair): readonly Change[];
}

/** A version of a CRD before and after, or two versions that are converted without a webhook. */
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
