/** What the comparison asks of an API server: CRDs, and custom resources in any of their versions. */
import type { Fields } from '../../../api/untyped.ts';
import { formatJson } from '../../../api/json.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { TestCluster } from '../../cluster/cluster.ts';

export type Attempt =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly message: string };

/** Sends one request; a refusal is an answer, with the API server's message. */
export async function attempt(
  cluster: TestCluster,
  verb: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Attempt> {
  try {
    const plain = body === undefined ? undefined : (JSON.parse(formatJson(body)) as unknown);
    return { ok: true, object: (await cluster.request(verb, path, plain)) as unknown as KubeObject };
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}

/** Whether a CRD is served. */
export function isEstablished({ status }: Fields): boolean {
  const { conditions } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions?.some((one) => one.type === 'Established' && one.status === 'True') === true;
}

interface Spec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly plural: string; readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
}

/** What is used of a CRD here. */
export function specOf(crd: KubeObject): Spec {
  return crd['spec'] as Spec;
}

/** Of a custom resource, in the version of its apiVersion or another one; of all of them without a name. */
export function pathOf(
  crd: KubeObject,
  { version, name }: { readonly version: string; readonly name?: string },
): string {
  const { group, scope, names } = specOf(crd);
  const where = scope === 'Namespaced' ? '/namespaces/default' : '';
  return `/apis/${group}/${version}${where}/${names.plural}${name === undefined ? '' : `/${name}`}`;
}

/** The version in which an object is written. */
export function versionOf({ apiVersion }: KubeObject): string {
  return apiVersion.split('/')[1] ?? '';
}

/** Whether the status is a subresource of a version. */
export function hasStatusIn(crd: KubeObject, version: string): boolean {
  const found = specOf(crd).versions.find(({ name }) => name === version) as
    | { readonly subresources?: Fields }
    | undefined;
  return found?.subresources?.['status'] !== undefined;
}

/** Puts another CRD in the place of one. Conflicts come from the controllers that write its status. */
export async function change(cluster: TestCluster, path: string, next: KubeObject): Promise<Attempt> {
  for (;;) {
    const live = (await cluster.read(path)) as unknown as KubeObject;
    const { resourceVersion } = live.metadata;
    const changed = await attempt(cluster, 'PUT', path, {
      ...next,
      metadata: { ...next.metadata, resourceVersion },
      status: undefined,
    });
    if (changed.ok || !changed.message.includes('409')) return changed;
  }
}

/** A default that shows in every object whether the API server serves this CRD already, or still the one before. */
export function withMarker(crd: KubeObject, marker: string): KubeObject {
  const versions = specOf(crd).versions.map((version) => {
    const { schema } = version as unknown as {
      readonly schema: { readonly openAPIV3Schema: { readonly properties?: Fields } };
    };
    const { openAPIV3Schema: root } = schema;
    const properties = { ...root.properties, [MARKER]: { type: 'string', default: marker } };
    return { ...version, schema: { openAPIV3Schema: { ...root, properties } } };
  });
  return { ...crd, spec: { ...specOf(crd), versions } };
}

const MARKER = 'slipwayMarker';

/** Whether an object is read with the marker, in its own version or, if that is gone, in all. */
export async function isMarked(
  cluster: TestCluster,
  { crd, object, marker }: { readonly crd: KubeObject; readonly object: KubeObject; readonly marker: string },
): Promise<boolean> {
  // In another version than its own, an object may need a webhook to be read.
  const all = specOf(crd).versions.filter((version) => version.served);
  const own = all.filter((version) => version.name === versionOf(object));
  const served = own.length > 0 ? own : all;
  const { name } = object.metadata;
  const read = await Promise.all(served.map((version) => cluster.read(pathOf(crd, { version: version.name, name }))));
  return read.every((found) => found[MARKER] === marker);
}
