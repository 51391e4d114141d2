/** The acts of a person on one operator, and the waits between them. They go on while the manager is dead. */
import { ANNOTATION } from '../../api/names.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { condition, get, isReady, list, runs, subscriptionTo, waitFor, type Judged } from '../lib/objects.ts';
import { readState, type State } from '../lib/state.ts';
import { until } from '../lib/until.ts';
import { apply, startRemoval } from '../lib/writes.ts';
import { PATIENCE_SECONDS } from './patience.ts';
import { adoptable, type ChaosOperator, type Manifest } from './operators.ts';

export interface Person {
  readonly operator: ChaosOperator;
  /** Creates or changes the Subscription; `spec` beside package and channel. */
  subscribe(spec: object): Promise<void>;
  /** Deletes it, without waiting for its end. */
  unsubscribe(): Promise<void>;
  awaitVersion(version: string): Promise<void>;
  awaitSubscription(what: string, isWanted: (subscription: Judged) => boolean): Promise<void>;
  /** Until Subscription and Revisions are gone. */
  awaitGone(): Promise<void>;
  awaitRevision(number: number): Promise<void>;
  /** Until the Revision of that number is the one in use, by a status about the spec that there is now. */
  awaitRevisionInstalled(number: number): Promise<void>;
  /** The uids of all objects. */
  readObjects(): Promise<State['uids']>;
  /** Throws if one of them is gone, or was created again. */
  requireAll(before: State['uids']): Promise<void>;
  createInstance(): Promise<void>;
  deleteInstance(): Promise<void>;
  /** The uid of its custom resource; undefined if there is none, or no CRD for it. */
  findInstance(): Promise<string | undefined>;
  /** Creates objects of the operator before it is installed, and hands them over. */
  makeAdoptable(): Promise<void>;
}

/** @param timeoutSeconds How long each wait may take. */
export function createPerson(cluster: TestCluster, operator: ChaosOperator, timeoutSeconds = PATIENCE_SECONDS): Person {
  const { name } = operator;
  const subscription = { kind: 'subscription', name, namespace: name, timeoutSeconds };
  const options = { timeoutSeconds };

  async function awaitSubscription(what: string, isWanted: (found: Judged) => boolean): Promise<void> {
    await waitFor(cluster, subscription, isWanted).catch((error: Error) => {
      throw new Error(`${what}: ${error.message}`, { cause: error });
    });
  }

  return {
    operator,
    async subscribe(spec) {
      const common = { package: name, channel: 'stable', edges: 'Ignore', onFailure: { bakeTime: '0s' } };
      await apply(cluster, subscriptionTo(name, name, { ...common, ...spec }));
    },
    unsubscribe: () => startRemoval(cluster, subscription),
    awaitVersion: (version) => awaitSubscription(`version ${version} runs`, runs(version)),
    awaitSubscription,
    async awaitGone() {
      const left = async (): Promise<readonly Judged[]> => [
        ...(await list(cluster, 'subscription', { namespace: name })),
        ...(await list(cluster, 'revision', { namespace: name })),
      ];
      const explain = async (): Promise<string> => JSON.stringify(await left());
      await until(`${name} is uninstalled`, async () => (await left()).length === 0, { ...options, explain });
    },
    async awaitRevision(number) {
      await until(`Revision ${number} exists`, () => get(cluster, 'revision', `${name}-${number}`, name), options);
    },
    awaitRevisionInstalled: (number) =>
      awaitSubscription(`Revision ${number} is in use`, (found) => {
        return isReady(found) && found.status?.installed?.revision === `${name}-${number}`;
      }),
    readObjects: async () => (await readState(cluster)).uids,
    async requireAll(before) {
      const { uids } = await readState(cluster);
      const lost = [...before].filter(([object, uid]) => uids.get(object) !== uid).map(([object]) => object);
      if (lost.length > 0) throw new Error(`gone before its custom resources: ${lost.join(', ')}`);
    },
    async createInstance() {
      const collection = await until('its kind is served', () => collectionOf(cluster, operator), options);
      await until(
        'the custom resource is created',
        () => cluster.request('POST', collection, operator.instance),
        options,
      );
    },
    async deleteInstance() {
      const collection = await collectionOf(cluster, operator);
      await cluster.request('DELETE', `${collection}/${operator.instance.metadata.name}`);
    },
    async findInstance() {
      const found = await listInstances(cluster, operator).catch(unserved);
      return found?.find(({ metadata }) => metadata.name === operator.instance.metadata.name)?.metadata.uid;
    },
    async makeAdoptable() {
      for (const manifest of adoptable(operator)) await createHandedOver(cluster, manifest, `${name}/${name}`);
    },
  };
}

interface Instance {
  readonly metadata: { readonly name: string; readonly uid: string };
}

async function listInstances(cluster: TestCluster, operator: ChaosOperator): Promise<readonly Instance[]> {
  const found = await cluster.read(await collectionOf(cluster, operator));
  return found['items'] as readonly Instance[];
}

const UNSERVED = 'is not served yet';

/** For an operator without a CRD; any other error is thrown. */
function unserved(error: Error): undefined {
  if (error.message.includes(UNSERVED) || error.message.includes('was answered 404')) return undefined;
  throw error;
}

/** The path of the objects of the instance's kind. */
async function collectionOf(cluster: TestCluster, { name, instance }: ChaosOperator): Promise<string> {
  const { resources } = (await cluster.read(`/apis/${instance.apiVersion}`)) as unknown as {
    readonly resources: readonly { readonly name: string; readonly kind: string }[];
  };
  const plural = resources.find(({ kind }) => kind === instance.kind)?.name;
  if (plural === undefined) throw new Error(`${instance.kind} ${UNSERVED}`);
  return `/apis/${instance.apiVersion}/namespaces/${name}/${plural}`;
}

async function createHandedOver(cluster: TestCluster, manifest: Manifest, to: string): Promise<void> {
  const annotations = { ...(manifest.metadata['annotations'] as object), [ANNOTATION.adoptBy]: to };
  const object = { ...manifest, metadata: { ...manifest.metadata, annotations } };
  await cluster.kubectl(['create', '-f', '-'], JSON.stringify(object));
}

/** Whether an upgrade has failed and the version before works again. */
export function isRolledBackTo(version: string): (subscription: Judged) => boolean {
  return (subscription) =>
    isReady(subscription) &&
    subscription.status?.installed?.version === version &&
    condition(subscription, 'UpgradeFailed')?.status === 'True' &&
    (subscription.status['quarantined'] as readonly { readonly rolledBackTime?: string }[] | undefined)?.[0]
      ?.rolledBackTime !== undefined;
}

/** Whether the removal waits for custom resources. */
export function isBlocked(subscription: Judged): boolean {
  return condition(subscription, 'Ready')?.reason === 'DeleteBlocked';
}
