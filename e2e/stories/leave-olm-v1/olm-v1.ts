/** Installs operators by OLM v1, and gives it reasons to reconcile them. */
import { OWNER_LABEL } from '../../../adoption/olm-v1/kinds.ts';
import { collectInventory } from '../../../adoption/olm-v1/inventory.ts';
import { isOwnedBy } from '../../../adoption/olm-v1/marks.ts';
import { installedBundle, isSettled } from '../../../adoption/olm-v1/extension.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { fieldsOf, listOf, numberOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import { until } from '../../lib/until.ts';

const API = 'olm.operatorframework.io/v1';

export const extensionRef = (name: string): ObjectRef => ({ apiVersion: API, kind: 'ClusterExtension', name });

/** A ClusterCatalog of an image. */
export async function addCatalog(client: Client, name: string, image: string): Promise<void> {
  await client.create({
    apiVersion: API,
    kind: 'ClusterCatalog',
    metadata: { name, labels: { 'olm.operatorframework.io/metadata.name': name } },
    spec: { source: { type: 'Image', image: { ref: image } } },
  });
}

/** A ClusterExtension of the name of the package. */
export async function installByOlmV1(
  client: Client,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  catalog: object = {},
): Promise<void> {
  await client.create({
    apiVersion: API,
    kind: 'ClusterExtension',
    metadata: { name },
    spec: { namespace, source: { sourceType: 'Catalog', catalog: { packageName: name, ...catalog } } },
  });
}

/** Waits until OLM has read the image of a ClusterCatalog again: it does so at every change of the spec. */
export async function refreshCatalog(client: Client, name: string): Promise<void> {
  const ref = { apiVersion: API, kind: 'ClusterCatalog', name };
  const before = await client.get(ref);
  const image = fieldsOf(fieldsOf(fieldsOf(before?.['spec'])['source'])['image']);
  const pollIntervalMinutes = (numberOf(image['pollIntervalMinutes']) ?? 100) + 1;
  await client.patch(ref, { spec: { source: { image: { pollIntervalMinutes } } } });
  let last: KubeObject | undefined;
  const isServed = async (): Promise<boolean> => {
    last = await client.get(ref);
    const conditions = listOf(fieldsOf(last?.['status'])['conditions']);
    return conditions.some(
      ({ type, status, observedGeneration }) =>
        type === 'Serving' && status === 'True' && observedGeneration === last?.metadata.generation,
    );
  };
  await until(`OLM serves ${name} again`, isServed, { explain: () => JSON.stringify(last?.['status']) });
}

/** Waits until one Pod is left in the namespace of an operator. */
export async function hasOnePod(client: Client, { namespace }: { readonly namespace: string }): Promise<void> {
  const ask = async (): Promise<boolean> =>
    (await client.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace })).length === 1;
  await until(`${namespace} has one Pod`, ask);
}

/** Waits until OLM has installed it. */
export async function isInstalled(client: Client, name: string, version?: string): Promise<KubeObject> {
  let last: KubeObject | undefined;
  const ask = async (): Promise<KubeObject | undefined> => {
    last = await client.get(extensionRef(name));
    const isWanted = version === undefined || installedBundle(last).version === version;
    return isSettled(last) && isWanted ? last : undefined;
  };
  const explain = (): string => JSON.stringify(last?.['status']);
  return until(`OLM has installed ${name}`, ask, { explain });
}

/** Waits until OLM reports such a message about it. */
export async function reportOf(client: Client, name: string, message: RegExp): Promise<void> {
  let last = '';
  const ask = async (): Promise<string | undefined> => {
    const live = await client.get(extensionRef(name));
    last = JSON.stringify(fieldsOf(live?.['status'])['conditions']);
    return message.test(last) ? last : undefined;
  };
  await until(`OLM reports ${message.source}`, ask, { explain: () => last });
}

/** Waits until there is no ClusterExtension of the name. */
export async function isGone(client: Client, name: string): Promise<void> {
  const ask = async (): Promise<true | undefined> =>
    (await client.get(extensionRef(name))) === undefined ? true : undefined;
  await until(`${name} is gone`, ask);
}

/** OLM watches its objects and the ClusterExtension: each change has it reconcile. */
export async function stirOlmV1(client: Client, name: string, value: string): Promise<void> {
  const metadata = { annotations: { 'example.com/stirred': value } };
  const [object] = await collectInventory(client, name, AbortSignal.timeout(10_000));
  const refs = [extensionRef(name), ...(object === undefined ? [] : [refOf(object)])];
  for (const ref of refs) if ((await client.get(ref)) !== undefined) await client.patch(ref, { metadata });
}

/** The objects with a label of OLM v1, and the Secrets of releases. */
export async function marksOfOlmV1(client: Client, name: string): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(10_000);
  const releases = await client.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace: 'olmv1-system' });
  const objects = await collectInventory(client, name, signal);
  const named = releases.filter(({ metadata }) => metadata.labels?.['name'] === name);
  const labelled = objects.filter(({ metadata }) => metadata.labels?.[OWNER_LABEL.name] === name);
  return [...labelled, ...named].map((object) => describeRef(refOf(object)));
}

/** Waits until the ClusterExtension is an owner of all its objects, of which none has a mark of Slipway. */
export async function isOwnedByOlm(client: Client, name: string): Promise<void> {
  let left: readonly string[] = [];
  const ask = async (): Promise<boolean> => {
    const extension = await client.get(extensionRef(name));
    const objects = await collectInventory(client, name, AbortSignal.timeout(10_000));
    const isOurs = ({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean =>
      Object.keys({ ...labels, ...annotations }).some((key) => key.startsWith('slipway.dev/'));
    const wrong = objects.filter((one) => extension === undefined || !isOwnedBy(one, extension) || isOurs(one));
    left = wrong.map((object) => describeRef(refOf(object)));
    return objects.length > 5 && left.length === 0;
  };
  await until(`all objects of ${name} are OLM's`, ask, { explain: () => left.join(', ') });
}
