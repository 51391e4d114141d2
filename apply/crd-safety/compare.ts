/**
 * Judges a change of a CRD by its effect on existing objects: lost data, or rejected writes. A change with neither
 * effect is reported and permitted. Pure; the revision controller calls it before an upgrade, `plan` and `crd diff`
 * print the result. It compares schemas only; guard.ts checks whether affected objects exist.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { comparisonsOf, servedPairs, type Comparison } from './comparisons.ts';
import { findEqualParts } from './equal-parts.ts';
import { EFFECTS, type Effect, type FlatPair, type NodePair, type VersionPair } from './rule.ts';
import { CRD_RULES, NODE_RULES, VERSION_RULES } from './rules.ts';
import { flattenSchema, readCrd, type Crd, type Schema } from './schema.ts';

export interface CrdFinding {
  readonly crd: string;
  readonly rule: string;
  readonly effect: Effect;
  /** `v1`, or `v1 -> v2` for two versions that are converted without a webhook; absent for the CRD itself. */
  readonly version?: string;
  /** `^.spec.size`; absent for the CRD itself. */
  readonly path?: string;
  readonly message: string;
  /** An administrator accepts the finding. */
  readonly waived: boolean;
  /** The affected objects, if objects were checked (guard.ts). */
  readonly objects?: HurtObjects;
}

/** Existing objects that a change would hurt. */
export interface HurtObjects {
  readonly count: number;
  /** A few of them, `namespace/name`. */
  readonly names: readonly string[];
  /** Number of objects that no message may name. */
  readonly unnamed?: number;
  /** Which other objects were not judged, and why. */
  readonly more?: string;
  /** The harm to the first of them, if the finding does not say it. */
  readonly because?: string;
}

/** A rule that is not enforced on a CRD. */
export interface Waiver {
  readonly crd: string;
  readonly rule: string;
}

export interface CrdVerdict {
  readonly crd: string;
  /** No existing object is hurt, except by waived rules. */
  readonly safe: boolean;
  /** The worst first, then in the order of the schema. */
  readonly findings: readonly CrdFinding[];
}

/**
 * Compares the CRD in the cluster with its replacement.
 *
 * Errors: BundleUnsupported for a CRD that is not of apiextensions.k8s.io/v1, ObjectInvalid for a schema with too many
 * nodes; never retried.
 */
export function compareCrds(old: KubeObject, next: KubeObject, waivers: readonly Waiver[] = []): CrdVerdict {
  const [before, after] = [readCrd(old), readCrd(next)];
  const waived = new Set(waivers.filter(({ crd }) => crd === after.name).map(({ rule }) => rule));
  const findings = [...compareWhole(before, after), ...compareVersions(before, after)]
    .map((finding) => Object.assign(finding, { crd: after.name, waived: waived.has(finding.rule) }))
    .toSorted((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect));
  return { crd: after.name, safe: !findings.some(isDangerous), findings };
}

/** Whether a finding blocks an upgrade. */
export function isDangerous({ effect, waived }: CrdFinding): boolean {
  return !waived && (effect === 'loses' || effect === 'rejects');
}

/** `v1: ^.spec.size: minimum: minimum 1 becomes 2 (ops/a and 2 more)`: one finding as a line. */
export function describeFinding({ version, path, rule, message, objects }: CrdFinding): string {
  const line = [version, path, rule, message].filter((part) => part !== undefined).join(': ');
  return objects === undefined ? line : `${line} (${describeObjects(objects)})`;
}

const MOST_OF_A_REASON = 300;

function describeObjects({ count, unnamed = 0, names, more, because }: HurtObjects): string {
  const rest = count - names.length - unnamed;
  const others = [
    ...(rest > 0 ? [`${rest} more`] : []),
    ...(unnamed > 0 ? [`${unnamed} in other namespaces`] : []),
    ...(more === undefined ? [] : [more]),
  ];
  const which = [names.join(', '), ...others].filter((part) => part !== '').join(' and ');
  return because === undefined ? which : `${which}: ${because.slice(0, MOST_OF_A_REASON)}`;
}

const MOST_NAMED = 8;

/**
 * The error that refuses an upgrade: CRDUnsafe, not retried until an input changes. Undefined if every verdict is safe.
 */
export function unsafeError(verdicts: readonly CrdVerdict[]): ReasonedError | undefined {
  const dangerous = verdicts.flatMap(({ findings }) => findings.filter(isDangerous));
  const [first] = dangerous;
  if (first === undefined) return undefined;
  const named = dangerous.slice(0, MOST_NAMED).map((finding) => `${finding.crd}: ${describeFinding(finding)}`);
  const more = dangerous.length - named.length;
  return new ReasonedError({
    reason: 'CRDUnsafe',
    retry: 'never',
    message: `the new CRDs could lose or refuse objects that exist: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
    hint: `Change the objects, or waive the rule if the change is acceptable: spec.crdUpgradeSafety.waivers, ${describeWaivers(dangerous)}`,
  });
}

function describeWaivers(findings: readonly CrdFinding[]): string {
  const pairs = new Set(findings.map(({ crd, rule }) => `crd ${crd}, rule ${rule}`));
  return [...pairs].slice(0, MOST_NAMED).join('; ');
}

type Bare = Omit<CrdFinding, 'crd' | 'waived'>;

function compareWhole(old: Crd, next: Crd): Bare[] {
  return CRD_RULES.flatMap((rule) => rule.compare(old, next).map((change) => ({ rule: rule.name, ...change })));
}

function compareVersions(old: Crd, next: Crd): Bare[] {
  const comparisons = comparisonsOf(old, next);
  // Versions with a conversion webhook are not compared with each other, neither before nor after.
  const known = comparisons.some(isMeasured) ? harmBetween(old) : NOTHING;
  return comparisons.flatMap((comparison) => {
    const findings = comparePair(comparison, comparison.label);
    if (!comparison.isNewsOnly) return findings;
    const wasSo = isMeasured(comparison) ? known : NOTHING;
    return findings.filter((finding) => isHarmful(finding) && !wasSo.has(keyOf(finding)));
  });
}

const NOTHING: ReadonlySet<string> = new Set();

/** Whether a harm counts only if it did not exist before the change. */
function isMeasured({ isNewsOnly, baseline, old }: Comparison): boolean {
  return isNewsOnly && baseline !== old;
}

/** The differences between the served versions of one CRD. */
function harmBetween(crd: Crd): ReadonlySet<string> {
  const pairs = servedPairs(crd).map(([old, next]) => comparePair({ old, next }, `${old.name} -> ${next.name}`));
  return new Set(pairs.flat().map(keyOf));
}

function keyOf(finding: Bare): string {
  return JSON.stringify(finding);
}

function isHarmful({ effect }: Bare): boolean {
  return effect === 'loses' || effect === 'rejects';
}

function comparePair(pair: VersionPair, version: string): Bare[] {
  const flat = flattenBoth(pair.old.schema, pair.next.schema);
  const whole = VERSION_RULES.flatMap((rule) =>
    rule.compare(pair, flat).map((change) => ({ rule: rule.name, ...change })),
  );
  const nodes = [...withMetadata(flat.old)].flatMap(([path, old]) => {
    const next = flat.next.get(path);
    return next === undefined ? [] : compareNode(path, { old, next, isRoot: path === '^' });
  });
  return [...whole, ...nodes].map((finding) => ({ ...finding, version, effect: effectOf(finding, pair) }));
}

/** Without the nodes below equal ones: most of a large schema stays as it is, and no rule finds a change in equal parts. */
function flattenBoth(old: Schema, next: Schema): FlatPair {
  const areEqual = findEqualParts(old, next);
  return {
    old: flattenSchema(old, { root: next, isEqual: areEqual }),
    next: flattenSchema(next, { root: old, isEqual: (one, other) => areEqual(other, one) }),
  };
}

/** Every object has a name, whether its schema mentions it or not. */
const METADATA: ReadonlyMap<string, Schema> = new Map([
  ['^.metadata', { type: 'object' }],
  ['^.metadata.name', { type: 'string' }],
  ['^.metadata.generateName', { type: 'string' }],
]);

function withMetadata(nodes: ReadonlyMap<string, Schema>): ReadonlyMap<string, Schema> {
  return new Map([...METADATA, ...nodes]);
}

function compareNode(path: string, pair: NodePair): (Bare & { readonly path: string })[] {
  return NODE_RULES.flatMap((rule) => rule.compare(pair).map((change) => ({ rule: rule.name, path, ...change })));
}

/** The operator rewrites its status; changes below it cost users no data and no rejected write. */
function effectOf({ effect, path }: Pick<Bare, 'effect' | 'path'>, { next }: VersionPair): Effect {
  const inStatus = path === '^.status' || path?.startsWith('^.status.') === true;
  return inStatus && next.hasStatus && effect !== 'none' ? 'alters' : effect;
}
