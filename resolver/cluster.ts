/** Compares the versions that a bundle supports with the versions of the cluster. */
import { MIN_KUBE_VERSION, type CatalogBundle } from '../catalog/model.ts';
import type { Cause, OpenShiftLimit } from './decision.ts';
import type { ClusterFacts } from './input.ts';
import { compareNaturals, parseNatural, type Natural } from './version.ts';

/**
 * Why a bundle does not fit the cluster; undefined if it does, or if its requirement is absent or no version: some are
 * published empty or misspelt, and their operators run.
 */
export function misfit(bundle: CatalogBundle, cluster: ClusterFacts | undefined): Cause | undefined {
  const has = cluster?.kubernetesVersion;
  const needs = versionText(bundle, MIN_KUBE_VERSION);
  if (needs === undefined || has === undefined || !isOlder(has, needs)) return undefined;
  return { kind: 'kubernetesTooOld', needs, has };
}

/** Whether the version of a cluster is lower than the one that is needed; false if either text is no version. */
export function isOlder(has: string, needs: string): boolean {
  const order = compareNumbers(has, needs, 3);
  return order !== undefined && order < 0;
}

/**
 * The last minor version of OpenShift that a bundle supports, if the cluster has reached it. For OLM it is no condition of an
 * installation: OLM keeps the cluster from going beyond it while the bundle is installed.
 */
export function reachedOpenShift(bundle: CatalogBundle, cluster: ClusterFacts | undefined): OpenShiftLimit | undefined {
  const upTo = maxOpenShift(bundle);
  const has = cluster?.openShiftVersion;
  if (upTo === undefined || has === undefined) return undefined;
  const order = compareNumbers(has, upTo, 2);
  return order === undefined || order < 0 ? undefined : { upTo, has };
}

/**
 * An unquoted 4.10 is the number 4.1 by the time it is read. Since the property is younger than OpenShift 4.7, such a
 * number lacks a zero.
 */
function maxOpenShift(bundle: CatalogBundle): string | undefined {
  const value = valueOf(bundle, 'olm.maxOpenShiftVersion');
  if (typeof value === 'number') return String(value).replace(/^4\.([1-7])$/, '4.$10');
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function versionText(bundle: CatalogBundle, type: string): string | undefined {
  const value = valueOf(bundle, type);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function valueOf({ properties }: CatalogBundle, type: string): unknown {
  return properties.find((property) => property.type === type)?.value;
}

/** Compares the first numbers of two versions; a server's suffix such as `-eks.1` does not make it older. */
function compareNumbers(a: string, b: string, count: number): number | undefined {
  const left = numbersOf(a, count);
  const right = numbersOf(b, count);
  if (left === undefined || right === undefined) return undefined;
  return left.reduce<number>((order, number, index) => order || compareNaturals(number, right[index] ?? 0), 0);
}

function numbersOf(text: string, count: number): readonly Natural[] | undefined {
  const match = /^\s*v?([0-9]{1,9})(?:\.([0-9]{1,9}))?(?:\.([0-9]{1,9}))?(?:[-+].*)?\s*$/.exec(text.slice(0, 256));
  if (match === null) return undefined;
  return match.slice(1, count + 1).map((digits) => parseNatural(Number(digits ?? 0).toString()) ?? 0);
}
