/** Selects which versions of a CRD to compare with each other when it changes. Pure. */
import type { Crd, CrdVersion } from './schema.ts';

export interface Comparison {
  /** Label in findings: `v1`, or `v1 -> v2` for an object of v1 that is read or stored as v2. */
  readonly label: string;
  readonly old: CrdVersion;
  readonly next: CrdVersion;
  /** The version before the change: a harm that exists there already is not reported. */
  readonly baseline: CrdVersion;
  /** Versions differ on purpose; only new losses and rejections are reported. */
  readonly isNewsOnly: boolean;
}

/**
 * All comparisons of a change, each label once. Versions with a conversion webhook are not compared with each other.
 */
export function comparisonsOf(old: Crd, next: Crd): readonly Comparison[] {
  const same = old.versions.flatMap((version) => {
    const after = versionIn(next, version.name);
    return after === undefined ? [] : [comparison(version, after)];
  });
  if (next.conversion === 'Webhook') return same;
  const moved = movesOf(old, next);
  const named = new Set(moved.map(({ label }) => label));
  const served = servedPairs(next)
    .map(([from, to]) => ({ ...comparison(from, to), baseline: versionIn(old, to.name) ?? from, isNewsOnly: true }))
    .filter(({ label }) => !named.has(label));
  return [...same, ...moved, ...served];
}

function comparison(old: CrdVersion, next: CrdVersion): Comparison {
  const label = old.name === next.name ? old.name : `${old.name} -> ${next.name}`;
  return { label, old, next, baseline: old, isNewsOnly: false };
}

/**
 * Objects move to the new storage version: with their next write if another version was stored before, and for every
 * reader if their own version is no longer served.
 */
function movesOf(old: Crd, next: Crd): Comparison[] {
  const target = next.versions.find(({ storage }) => storage);
  const before = old.versions.find(({ storage }) => storage);
  if (target === undefined) return [];
  const stored = old.versions.filter(({ name, storage }) => storage || old.storedVersions.includes(name));
  return stored
    .filter(({ name }) => name !== target.name)
    .filter(({ name, served }) => {
      const isHidden = served && versionIn(next, name)?.served !== true;
      return isHidden || target.name !== before?.name;
    })
    .map((version) => ({ ...comparison(version, target), isNewsOnly: true }));
}

/** Every two served versions, the older one first. */
export function servedPairs({ versions }: Crd): readonly (readonly [CrdVersion, CrdVersion])[] {
  const served = versions.filter((version) => version.served).toSorted((a, b) => compareVersionNames(a.name, b.name));
  return served.flatMap((old, index) => served.slice(index + 1).map((next) => [old, next] as const));
}

function versionIn({ versions }: Crd, wanted: string): CrdVersion | undefined {
  return versions.find(({ name }) => name === wanted);
}

/**
 * Orders versions as Kubernetes does, the oldest first: v1alpha1, v1beta1, v1, v2; other names before all of them.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
 */
export function compareVersionNames(a: CrdVersion['name'], b: CrdVersion['name']): number {
  const [x, y] = [rankOf(a), rankOf(b)];
  for (const [index, rank] of x.entries()) {
    const difference = rank - (y[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // Names that are not versions come in reverse: the API server prefers the alphabetically first.
  return a === b ? 0 : a < b ? 1 : -1;
}

function rankOf(name: string): readonly [number, number, number] {
  const match = /^v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?$/.exec(name);
  if (match === null) return [-1, 0, 0];
  const [, major = '0', stage, minor = '0'] = match;
  return [stage === undefined ? 2 : stage === 'beta' ? 1 : 0, Number(major), Number(minor)];
}
