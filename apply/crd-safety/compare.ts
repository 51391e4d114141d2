/**
 * Judges a change of a CRD by its effect on existing objects: lost data, or rejected writes. A change with neither
 * effect is reported and permitted. Pure; the revision controller calls it before an upgrade, `plan` and `crd diff`
 * print the result. It compares schemas only; guard.ts checks whether affected objects exist.
 */
import { ReasonedError } from '../../api/errors.ts';
import { nameFirst } from '../../api/name-some.ts';
import type { KubeObject } from '../../api/object.ts';
import { compareVersions, type BareFinding } from './compare-versions.ts';
import { checkVersions } from './effort.ts';
import { EFFECTS } from './rule.ts';
import { CRD_RULES, NODE_RULES, VERSION_RULES } from './rules.ts';
import { readCrd, type Crd } from './schema.ts';

export interface CrdFinding extends BareFinding {
  readonly crd: string;
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
 * Errors: BundleUnsupported for a CRD that is not of apiextensions.k8s.io/v1, ObjectInvalid for one that is too large to
 * be compared (effort.ts); never retried.
 */
export function compareCrds(old: KubeObject, next: KubeObject, waivers: readonly Waiver[] = []): CrdVerdict {
  const [before, after] = [readCrd(old), readCrd(next)];
  for (const crd of [before, after]) checkVersions(crd);
  const waived = new Set(waivers.filter(({ crd }) => crd === after.name).map(({ rule }) => rule));
  const findings = [...compareWhole(before, after), ...compareVersions(before, after)]
    .map((finding) => ({ ...finding, crd: after.name, waived: waived.has(finding.rule) }))
    .toSorted((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect));
  const rest = waived.has(REST);
  return { crd: after.name, safe: !findings.some(isDangerous), findings: shorten(findings, rest) };
}

/** Changes of published CRDs have 1,229 at most. */
const MOST_FINDINGS = 10_000;

/** The rule for effects that are not known. */
const REST = 'otherKeywords';

/** The first findings, those that block an upgrade before all others, and one finding for the rest of them. */
function shorten(findings: readonly CrdFinding[], waived: boolean): readonly CrdFinding[] {
  if (findings.length <= MOST_FINDINGS) return findings;
  const ordered = [...findings.filter(isDangerous), ...findings.filter((finding) => !isDangerous(finding))];
  const [kept, rest] = [ordered.slice(0, MOST_FINDINGS), ordered.slice(MOST_FINDINGS)];
  const effect = rest.some(isDangerous) ? 'rejects' : 'alters';
  const message = `${rest.length} more findings are not listed`;
  return [...kept, { crd: rest[0]?.crd ?? '', rule: REST, effect, message, waived }];
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

const RULE_NAMES = new Set([...CRD_RULES, ...VERSION_RULES, ...NODE_RULES].map(({ name }) => name));

/**
 * The error that refuses an upgrade: CRDUnsafe, not retried until an input changes. Undefined if every verdict is safe.
 * @param waivers Those of the spec: the hint lists those whose rule does not exist
 */
export function unsafeError(
  verdicts: readonly CrdVerdict[],
  waivers: readonly Waiver[] = [],
): ReasonedError | undefined {
  const dangerous = verdicts.flatMap(({ findings }) => findings.filter(isDangerous));
  const [first] = dangerous;
  if (first === undefined) return undefined;
  const named = dangerous.slice(0, MOST_NAMED).map((finding) => `${finding.crd}: ${describeFinding(finding)}`);
  const unknown = waivers.filter(({ rule }) => !RULE_NAMES.has(rule));
  const misspelt = unknown.length === 0 ? '' : `. These waivers of the spec name a rule that does not exist: ${describeWaivers(unknown)}`; // prettier-ignore
  return new ReasonedError({
    reason: 'CRDUnsafe',
    retry: 'never',
    message: `the new CRDs could lose or refuse objects that exist: ${nameFirst(named, dangerous.length, '; ')}`,
    hint: `Change the objects, or waive the rule if the change is acceptable: spec.crdUpgradeSafety.waivers, ${describeWaivers(dangerous)}${misspelt}`,
  });
}

function describeWaivers(waivers: readonly Waiver[]): string {
  const pairs = new Set(waivers.map(({ crd, rule }) => `crd ${crd}, rule ${rule}`));
  return [...pairs].slice(0, MOST_NAMED).join('; ');
}

function compareWhole(old: Crd, next: Crd): readonly BareFinding[] {
  return CRD_RULES.flatMap((rule) => rule.compare(old, next).map((change) => ({ rule: rule.name, ...change })));
}
