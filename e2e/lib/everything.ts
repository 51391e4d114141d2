/** Reads every object of every kind that a cluster has, each kind once, in the version that its group prefers. */
import type { TestCluster } from '../cluster/cluster.ts';
import { until } from './until.ts';

export interface FoundObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
}

interface Resource {
  /** `plural.group` */
  readonly name: string;
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Everything but the resources that are left out, such as `pods` and `leases.coordination.k8s.io`. Asks again where a
 * kind goes between the question which there are and the one for its objects.
 */
export function readEverything(cluster: TestCluster, leftOut: ReadonlySet<string>): Promise<readonly FoundObject[]> {
  return until('all objects can be read', async () => {
    const resources = (await findResources(cluster)).filter(({ name }) => !leftOut.has(name));
    return (await Promise.all(resources.map((resource) => readObjects(cluster, resource)))).flat();
  });
}

async function findResources(cluster: TestCluster): Promise<readonly Resource[]> {
  const { groups } = (await cluster.read('/apis')) as unknown as { readonly groups: readonly Group[] };
  const paths = ['/api/v1', ...groups.flatMap((group) => versionsOf(group).map((version) => `/apis/${version}`))];
  const found = (await Promise.all(paths.map((path) => resourcesAt(cluster, path)))).flat();
  return [...new Map(found.toReversed().map((resource) => [resource.name, resource])).values()];
}

interface Version {
  readonly groupVersion: string;
}

interface Group {
  readonly versions: readonly Version[];
  readonly preferredVersion: Version;
}

/** The preferred one first. */
function versionsOf({ versions, preferredVersion }: Group): readonly string[] {
  return [...new Set([preferredVersion, ...versions].map(({ groupVersion }) => groupVersion))];
}

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly verbs: readonly string[] }[];
}

async function resourcesAt(cluster: TestCluster, path: string): Promise<readonly Resource[]> {
  const { groupVersion, resources } = (await cluster.read(path)) as unknown as ResourceList;
  const [group = ''] = groupVersion.includes('/') ? groupVersion.split('/') : [''];
  return resources
    .filter(({ verbs }) => verbs.includes('list'))
    .map(({ name, kind }) => ({
      name: group === '' ? name : `${name}.${group}`,
      path: `${path}/${name}`,
      apiVersion: groupVersion,
      kind,
    }));
}

async function readObjects(
  cluster: TestCluster,
  { path, apiVersion, kind }: Resource,
): Promise<readonly FoundObject[]> {
  const { items } = (await cluster.read(path)) as unknown as { readonly items: readonly FoundObject[] };
  return items.map((item) => ({ ...item, apiVersion, kind }));
}
