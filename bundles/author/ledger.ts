/** Keeps account of every object of the source: its place in the bundle, or the reason why it has none. */
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import type { SourceObject } from './source.ts';

/** The place of one object of the source in the bundle. */
export interface Placement {
  /** `Deployment.apps shop/manager` */
  readonly object: string;
  /** `config/manager.yaml, document 1` */
  readonly source: string;
  /** `csv` and `manifests` together if an object is in both. */
  readonly places: readonly Place[];
  /** Field of the CSV that has its content: `spec.install.spec.deployments`. */
  readonly field?: string;
  /** Why it is left out, and every part of it that the bundle does not have. */
  readonly notes: readonly string[];
}

export type Place = 'csv' | 'manifests';

/** A fact that the author should know; an error means that the bundle does less than the source. */
export interface AuthorFinding {
  readonly level: 'error' | 'warning';
  /** Kebab-case: `foreign-account`. */
  readonly check: AuthorCheck;
  readonly object: string;
  readonly message: string;
  readonly advice: string;
}

/** Every finding that the making of a bundle can have. */
export const AUTHOR_CHECKS = {
  'added-right': 'An installation gives the operator a right that the source does not.',
  certificate: 'A certificate of the source is for no webhook of the bundle.',
  'copied-secret': 'A Secret of a cluster is copied into the bundle.',
  'fixed-namespace': 'A right counts in one namespace only.',
  'foreign-account': 'Rights are given to an account that is not of the operator.',
  'leftover-file': 'A manifest is in the folder, and its object is not in the source.',
  'lost-part': 'The format of bundles has no place for a part of the object.',
  'missing-account': 'A Deployment runs as a ServiceAccount that is not in the source.',
  'missing-role': 'A binding names a role that is not in the source.',
  'missing-service': 'A webhook is called through a Service or Deployment that is not in the source.',
  'needed-secret': 'Pods need a Secret that is left out.',
  'other-namespace': 'An object is outside of the namespace of the operator.',
  'unknown-kind': 'The kinds of an APIService are not known.',
  'unpinned-image': 'An image is named without a digest.',
  'unsupported-kind': 'A bundle may not have objects of the kind.',
} as const;

export type AuthorCheck = keyof typeof AUTHOR_CHECKS;

interface LedgerEntry {
  readonly places: Set<Place>;
  field?: string;
  manifest?: KubeObject;
  readonly notes: string[];
}

/** Mutable while a bundle is composed; each step writes the objects that it has taken. */
export class Ledger {
  readonly findings: AuthorFinding[] = [];
  readonly #entries = new Map<SourceObject, LedgerEntry>();

  /** The content of the object is in this field of the CSV. */
  inCsv(source: SourceObject, field: string): void {
    const entry = this.#entry(source);
    entry.places.add('csv');
    entry.field ??= field;
  }

  /** The object gets a file in `manifests/`, as it is or changed. */
  inManifests(source: SourceObject, changed: KubeObject = source.object): void {
    const entry = this.#entry(source);
    entry.places.add('manifests');
    entry.manifest = changed;
  }

  /** The object has no place, for this reason. */
  leaveOut(source: SourceObject, because: string): void {
    this.note(source, because);
  }

  /** A part of the object is missing or changed. */
  note(source: SourceObject, text: string): void {
    const { notes } = this.#entry(source);
    if (!notes.includes(text)) notes.push(text);
  }

  find(level: AuthorFinding['level'], check: AuthorCheck, source: SourceObject, [message, advice]: LedgerWords): void {
    this.findings.push({ level, check, object: describeRef(refOf(source.object)), message, advice });
  }

  isPlaced(source: SourceObject): boolean {
    return this.#entries.has(source);
  }

  /** The objects of `manifests/`, in the order of the source. */
  manifests(sources: readonly SourceObject[]): readonly KubeObject[] {
    return sources.flatMap((source) => this.#entries.get(source)?.manifest ?? []);
  }

  /** One for each object. @throws Error if a step forgot one: nothing may be dropped silently. */
  placements(sources: readonly SourceObject[]): readonly Placement[] {
    return sources.map((source) => {
      const entry = this.#entries.get(source);
      const object = describeRef(refOf(source.object));
      if (entry === undefined) throw new Error(`${object} has neither a place nor a reason`);
      const { places, field, notes } = entry;
      return { object, source: source.place, places: [...places], ...(field !== undefined && { field }), notes };
    });
  }

  #entry(source: SourceObject): LedgerEntry {
    const known = this.#entries.get(source);
    if (known !== undefined) return known;
    const entry: LedgerEntry = { places: new Set(), notes: [] };
    this.#entries.set(source, entry);
    return entry;
  }
}

/** Message and advice of a finding. */
export type LedgerWords = readonly [message: string, advice: string];
