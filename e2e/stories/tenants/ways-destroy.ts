/** Ways to have something deleted that is not the tenant's. */
import { ANNOTATION, API_VERSION, LABEL } from '../../../api/names.ts';
import { get, pathOf } from '../../lib/objects.ts';
import { patch, post, SECRETS, SUBSCRIPTIONS, type Attacker, type Way } from './ways-attacker.ts';
import { REACH } from './ways-reach.ts';
import { OTHER, OWN, PLATFORM, TEAM, WITH_CRDS } from './ways-scene.ts';

const ALL = { uninstall: { customResources: 'Delete', dependencies: 'Delete' } };
const bauble = (namespace: string, finalizers: readonly string[] = []): object => ({
  apiVersion: 'tiny.example/v1',
  kind: 'Bauble',
  metadata: { name: 'ours', namespace, finalizers },
});

async function uidOf({ cluster }: Attacker, kind: string, name: string, namespace: string): Promise<string> {
  return (await get(cluster, kind, name, namespace)).metadata.uid;
}

/** Makes something, then deletes it, in the hope that more goes along. */
function andBack(name: string, make: (attacker: Attacker) => Promise<unknown>): Way['attempt'] {
  return async (attacker) => {
    await make(attacker);
    await attacker.uninstall(name);
    return 'no effect';
  };
}

/** A CRD of the tenant's with an object of another namespace; resolves with whether that is left. */
async function withForeignObject(attacker: Attacker, spec: object, act: () => Promise<unknown>): Promise<boolean> {
  const { cluster, install } = attacker;
  await install('own-kind', { ...WITH_CRDS, ...spec });
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(bauble(OTHER)));
  await act();
  const left = await cluster.kubectl(['get', 'baubles.tiny.example', '-A', '-o', 'name']);
  return left.includes('ours');
}

export const DESTROY: readonly Way[] = [
  ...REACH,
  {
    name: 'Subscription with a victim’s name that deletes everything',
    aim: 'destroy',
    attempt: andBack('store', async ({ subscribe, reasonOf }) => {
      await subscribe('store', ALL);
      await reasonOf('store');
    }),
    defence: 'no effect',
    because: 'an owner is a namespace, a name and a uid',
  },
  {
    name: 'the same with an account that may delete CRDs',
    aim: 'destroy',
    attempt: async ({ subscribe, reasonOf, uninstall }) => {
      await subscribe('store', { ...WITH_CRDS, ...ALL, dependencies: 'Ignore' });
      const reason = await reasonOf('store');
      await uninstall('store');
      return reason;
    },
    defence: 'Collision',
    because: 'only what was applied by this very Subscription is deleted',
  },
  {
    name: 'Subscription that is owned by a victim’s, deleted in the foreground',
    aim: 'destroy',
    attempt: async (attacker) => {
      const uid = await uidOf(attacker, 'Subscription', 'astore', TEAM);
      const owner = { apiVersion: API_VERSION, kind: 'Subscription', name: 'astore', uid, controller: true };
      await attacker.subscribe('plain', {}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] });
      const query = { propagationPolicy: 'Foreground' };
      return attacker.send({ method: 'DELETE', path: `${SUBSCRIPTIONS}/plain`, query });
    },
    defence: 'no effect',
    because: 'an owner is not deleted with the objects that it owns',
  },
  {
    name: 'dependency that says a victim requested it',
    aim: 'destroy',
    attempt: andBack('lib', async (attacker) => {
      const uid = await uidOf(attacker, 'Subscription', 'store', PLATFORM);
      const marks = { labels: { [LABEL.dependency]: 'true' }, annotations: { [ANNOTATION.requestedBy]: uid } };
      await attacker.subscribe('lib', ALL, marks);
      await attacker.reasonOf('lib', (reason) => reason === 'Succeeded');
    }),
    defence: 'no effect',
    because: 'dependencies are deleted within one namespace and account',
  },
  {
    name: 'finalizer of Slipway on own objects, taken off',
    aim: 'destroy',
    attempt: async ({ install, send, uninstall }) => {
      await install('plain', ALL);
      await send(patch(`${SUBSCRIPTIONS}/plain`, { metadata: { finalizers: null } }));
      await uninstall('plain');
      await install('plain', { ...ALL, package: 'tool' });
      return 'no effect';
    },
    defence: 'no effect',
    because: 'the next Subscription of the name is another one',
  },
  {
    name: 'Secret that looks like the manifests of a victim',
    aim: 'destroy',
    attempt: async (attacker) => {
      const uid = await uidOf(attacker, 'Subscription', 'store', PLATFORM);
      const owner = { apiVersion: API_VERSION, kind: 'Subscription', name: 'store', uid, controller: true };
      const metadata = { name: 'store-1-00000000-0', labels: { [LABEL.revision]: 'store-1' } };
      const secret = { metadata: { ...metadata, ownerReferences: [owner] }, type: 'slipway.dev/manifests' };
      return attacker.send(post(SECRETS, secret));
    },
    defence: 'no effect',
    because: 'the garbage collector searches the owner in the namespace of the Secret, and deletes the Secret alone',
  },
  {
    name: 'all Subscriptions of the namespace at once',
    aim: 'destroy',
    attempt: async ({ subscribe, send }) => {
      await subscribe('plain', { suspend: true });
      return send({ method: 'DELETE', path: SUBSCRIPTIONS });
    },
    defence: 'refused',
    because: 'each is asked about, and the administrator’s is among them',
  },
  {
    name: 'custom resources of others under an own CRD',
    aim: 'destroy',
    attempt: async (attacker) => {
      let reason: Awaited<ReturnType<Attacker['reasonOf']>> = 'Succeeded';
      const isLeft = await withForeignObject(attacker, ALL, async () => {
        await attacker.send({ method: 'DELETE', path: `${SUBSCRIPTIONS}/own-kind` });
        reason = await attacker.reasonOf('own-kind');
        await attacker.send(patch(`${SUBSCRIPTIONS}/own-kind`, { spec: { uninstall: { customResources: 'Retain' } } }));
        await attacker.uninstall('own-kind');
      });
      return isLeft ? reason : 'Succeeded';
    },
    defence: 'Forbidden',
    because: 'they are deleted as the account, which may not',
  },
  {
    name: 'account deleted in the middle of a removal',
    aim: 'destroy',
    attempt: async (attacker) => {
      const { send, subscribe, reasonOf, uninstall, cluster } = attacker;
      await cluster.kubectl(['-n', TEAM, 'create', 'serviceaccount', 'short-lived']);
      await subscribe('plain', { ...ALL, serviceAccountName: 'short-lived' });
      // It has no rights yet; that it is gone must be reported from here on as well.
      await reasonOf('plain', (one) => one === 'Forbidden');
      await send({ method: 'DELETE', path: pathOf('ServiceAccount', 'short-lived', TEAM) });
      const annotations = { [ANNOTATION.reconcileRequestedAt]: 'now' };
      await send(patch(`${SUBSCRIPTIONS}/plain`, { metadata: { annotations } }));
      const reason = await reasonOf('plain', (one) => one === 'ServiceAccountNotFound');
      await uninstall('plain');
      return reason;
    },
    defence: 'ServiceAccountNotFound',
    because: 'without its account nothing is applied, and only what is its own by uid is removed',
  },
  {
    name: 'account of the own Subscription changed before its removal',
    aim: 'destroy',
    attempt: andBack('plain', async ({ install, send }) => {
      await install('plain');
      await send(patch(`${SUBSCRIPTIONS}/plain`, { spec: { ...OWN, ...ALL, serviceAccountName: 'crd-installer' } }));
    }),
    defence: 'no effect',
    because: 'he may act as both, and only what was applied is removed',
  },
];
