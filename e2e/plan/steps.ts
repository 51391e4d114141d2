/** The bundles of the corpus that every cluster takes, and the upgrades between consecutive versions of each package. */
import { basename, dirname } from 'node:path';
import { compare, valid } from 'semver';
import { isCrd } from '../../api/crd-kind.ts';
import { ReasonedError } from '../../api/errors.ts';
import { groupOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import type { Bundle } from '../../bundles/bundle.ts';
import { renderBundle } from '../../bundles/render/render.ts';
import { bundleFolders, readBundle } from '../../bundles/testing/real-bundles.ts';
import { textsOf } from '../../plan/rights/rule.ts';
import { devSet } from '../lib/shared.ts';

export interface StepVersion {
  readonly version: string;
  readonly folder: string;
}

export interface Step {
  /** Name of the folder of the package, which is also that of the namespace. */
  readonly name: string;
  readonly package: string;
  readonly from: StepVersion;
  readonly to: StepVersion;
}

/**
 * The steps of packages whose objects every cluster takes, in rounds: the first has the newest step of each package, the
 * next the one before it. So no package is twice in a round.
 */
export function roundsOfCorpus(rounds: number, only?: ReadonlySet<string>): readonly (readonly Step[])[] {
  const folders = [...Map.groupBy(bundleFolders(devSet()), dirname)];
  const byPackage = folders.flatMap(([folder, versions]) => {
    const name = basename(folder);
    return only?.has(name) === false ? [] : [stepsOf(name, versions, rounds)];
  });
  return Array.from({ length: rounds }, (_, at) => byPackage.flatMap((steps) => steps[at] ?? []));
}

/** The newest first. */
function stepsOf(name: string, folders: readonly string[], most: number): readonly Step[] {
  const newestFirst = versionsIn(folders).slice(0, most + 1);
  const place = ({ version, folder }: ReadVersion): StepVersion => ({ version, folder });
  return newestFirst.slice(1).flatMap((from, at) => {
    const to = newestFirst[at];
    if (to === undefined || compare(from.version, to.version) === 0 || from.bundle.package !== to.bundle.package)
      return [];
    if (!isOrdinary(from.bundle) || !isOrdinary(to.bundle)) return [];
    return [{ name, package: to.bundle.package, from: place(from), to: place(to) }];
  });
}

/** A version that every cluster takes, with the name of its package. */
export interface PackagedVersion extends StepVersion {
  readonly package: string;
}

/** The newest versions of each package, by the name of its folder. */
export function versionsOfCorpus(most: number): ReadonlyMap<string, readonly PackagedVersion[]> {
  const folders = [...Map.groupBy(bundleFolders(devSet()), dirname)];
  const named = folders.map(([folder, versions]) => {
    const ordinary = versionsIn(versions).filter(({ bundle }) => isOrdinary(bundle));
    return [
      basename(folder),
      ordinary.slice(0, most).map(({ version, folder: path, bundle }) => ({
        version,
        folder: path,
        package: bundle.package,
      })),
    ] as const;
  });
  return new Map(named.filter(([, versions]) => versions.length > 0));
}

interface ReadVersion extends StepVersion {
  readonly bundle: Bundle;
}

/** The newest first; a folder whose bundle cannot be read, or has no semantic version, is left out. */
function versionsIn(folders: readonly string[]): readonly ReadVersion[] {
  return folders
    .flatMap((folder) => {
      const bundle = readOrNothing(folder);
      const version = bundle?.csv.spec.version ?? '';
      return bundle === undefined || valid(version) === null ? [] : [{ folder, bundle, version }];
    })
    .toSorted((a, b) => compare(b.version, a.version));
}

function readOrNothing(folder: string): Bundle | undefined {
  try {
    return readBundle(folder);
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}

/** Groups that every API server has, beside those of the bundle's own CRDs. */
const SERVED: ReadonlySet<string> = new Set([
  '',
  'apps',
  'policy',
  'scheduling.k8s.io',
  'networking.k8s.io',
  'rbac.authorization.k8s.io',
  'apiextensions.k8s.io',
  'admissionregistration.k8s.io',
]);

/**
 * Whether its objects are of kinds that every cluster has, or that the bundle defines, and no webhook of it is about kinds of
 * others: no program runs in pretended Pods, so a webhook on Pods would refuse all of them.
 */
function isOrdinary(bundle: Bundle): boolean {
  try {
    const objects: readonly KubeObject[] = renderBundle(bundle, { namespace: 'ops', certificates: 'manager' });
    const own = new Set(objects.filter(isCrd).map(({ spec }) => textOf(fieldsOf(spec)['group'])));
    return (
      objects.every(({ apiVersion }) => [SERVED, own].some((groups) => groups.has(groupOf(apiVersion)))) &&
      objects.flatMap(interceptedGroups).every((group) => own.has(group))
    );
  } catch (error) {
    if (error instanceof ReasonedError) return false;
    throw error;
  }
}

/** The groups of the kinds whose writes fail while the webhooks of a configuration do not answer. */
function interceptedGroups(object: KubeObject): readonly string[] {
  return listOf(object['webhooks'])
    .filter(({ failurePolicy }) => failurePolicy !== 'Ignore')
    .flatMap(({ rules }) => listOf(rules).flatMap(({ apiGroups }) => textsOf(apiGroups)));
}
