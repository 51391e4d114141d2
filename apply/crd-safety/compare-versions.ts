/** Compares the versions of a CRD before and after a change, and its served versions with each other. Pure. */
import { comparisonsOf, servedPairs, type Comparison } from './comparisons.ts';
import { checkReading, startSteps, type StepBudget } from './effort.ts';
import { findEqualParts, type AreEqual } from './equal-parts.ts';
import type { Effect, FlatPair, NodePair, VersionPair } from './rule.ts';
import { rulesFor, VERSION_RULES } from './rules.ts';
import { flattenSchema, type Crd, type Schema } from './schema.ts';

/** A finding before it is known of which CRD it is, and whether it is waived. */
export interface BareFinding {
  readonly rule: string;
  readonly effect: Effect;
  /** `v1`, or `v1 -> v2` for two versions that are converted without a webhook; absent for the CRD itself. */
  readonly version?: string;
  /** `^.spec.size`; absent for the CRD itself. */
  readonly path?: string;
  readonly message: string;
}

/** All findings of the schemas. Throws ObjectInvalid, never retried, if they are too large to be compared (effort.ts). */
export function compareVersions(old: Crd, next: Crd): readonly BareFinding[] {
  const comparisons = comparisonsOf(old, next);
  checkReading(old, comparisons);
  const effort = startSteps(next.name);
  // Versions with a conversion webhook are not compared with each other, neither before nor after.
  const known = comparisons.some(isMeasured) ? harmBetween(old, effort) : NOTHING;
  return comparisons.flatMap((comparison) => {
    const findings = comparePair(comparison, comparison.label, effort);
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
function harmBetween(crd: Crd, effort: StepBudget): ReadonlySet<string> {
  const pairs = servedPairs(crd).map(([old, next]) =>
    comparePair({ old, next }, `${old.name} -> ${next.name}`, effort),
  );
  return new Set(pairs.flat().map(keyOf));
}

function keyOf(finding: BareFinding): string {
  return JSON.stringify(finding);
}

function isHarmful({ effect }: BareFinding): boolean {
  return effect === 'loses' || effect === 'rejects';
}

function comparePair(pair: VersionPair, version: string, effort: StepBudget): readonly BareFinding[] {
  const areEqual = findEqualParts(pair.old.schema, pair.next.schema);
  const flat = flattenBoth(pair, areEqual);
  for (const side of [flat.old, flat.next]) effort.take(side.size, side.keys());
  const whole = VERSION_RULES.flatMap((rule) =>
    rule.compare(pair, flat).map((change) => ({ rule: rule.name, ...change })),
  );
  const nodes = [...withMetadata(flat.old)].flatMap(([path, old]) => {
    const next = flat.next.get(path);
    if (next === undefined) return [];
    effort.take(STEPS_OF_RULES, []);
    return compareNode(path, { old, next, isRoot: path === '^' }, areEqual);
  });
  const found = [...whole, ...nodes];
  effort.take(
    found.length * STEPS_OF_RULES,
    found.values().map(({ message }) => message),
  );
  return found.map((finding) => ({ ...finding, version, effect: effectOf(finding, pair) }));
}

/** All rules on one node take as long as reading some nodes, and so does a finding. */
const STEPS_OF_RULES = 16;

/** Without the nodes below equal ones: most of a large schema stays as it is, and no rule finds a change in equal parts. */
function flattenBoth({ old: { schema: old }, next: { schema: next } }: VersionPair, areEqual: AreEqual): FlatPair {
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

function compareNode(path: string, pair: NodePair, areEqual: AreEqual): (BareFinding & { readonly path: string })[] {
  return rulesFor(pair, areEqual).flatMap((rule) =>
    rule.compare(pair).map((change) => ({ rule: rule.name, path, ...change })),
  );
}

/** The operator rewrites its status; changes below it cost users no data and no rejected write. */
function effectOf({ effect, path }: Pick<BareFinding, 'effect' | 'path'>, { next }: VersionPair): Effect {
  const inStatus = path === '^.status' || path?.startsWith('^.status.') === true;
  return inStatus && next.hasStatus && effect !== 'none' ? 'alters' : effect;
}
