/** Ways to have something applied that the tenant may not apply himself. */
import { ANNOTATION, API_VERSION, LABEL } from '../../../api/names.ts';
import { get } from '../../lib/objects.ts';
import {
  INSTALLER,
  patch,
  post,
  REVISIONS,
  SECRETS,
  SUBSCRIPTIONS,
  DEPLOYMENTS,
  type Attacker,
  type Way,
} from './ways-attacker.ts';
import { PLATFORM, TEAM, TIER, WITH_CRDS } from './ways-scene.ts';

const wanting = (spec: object, metadata: object): object => ({
  apiVersion: API_VERSION,
  kind: 'Subscription',
  metadata: { namespace: TEAM, ...metadata },
  spec: { package: 'plain', ...spec },
});

/** Installs a package whose bundle brings something that is not the tenant's. */
function picks(name: string, spec: object = {}): Way['attempt'] {
  return async ({ subscribe, reasonOf }) => {
    await subscribe(name, spec);
    return reasonOf(name);
  };
}

/** The whole object, its identity in the references left as it is. */
async function copyOfRevision({ cluster }: Attacker): Promise<object> {
  const { metadata, ...revision } = await get<{ metadata: Record<string, unknown> }>(
    cluster,
    'Revision',
    'store-1',
    PLATFORM,
  );
  const { name, labels, ownerReferences, finalizers } = metadata;
  return { ...revision, metadata: { name, namespace: TEAM, labels, ownerReferences, finalizers } };
}

const BUNDLES_THAT_GRAB: readonly Way[] = [
  {
    name: 'bundle with a binding to cluster-admin',
    aim: 'gain',
    attempt: picks('grab-binding'),
    defence: 'Forbidden',
    because: 'it is applied as the account',
  },
  {
    name: 'bundle with a role that is aggregated to edit',
    aim: 'gain',
    attempt: picks('grab-aggregated'),
    defence: 'Forbidden',
    because: 'it is applied as the account',
  },
  {
    name: 'bundle with an object of another namespace',
    aim: 'gain',
    attempt: async ({ install }) => {
      await install('grab-elsewhere');
      return 'no effect';
    },
    defence: 'no effect',
    because: 'what lives in a namespace is put into that of the Subscription',
  },
  {
    name: 'bundle with a CRD of Slipway',
    aim: 'gain',
    attempt: picks('grab-crd', WITH_CRDS),
    defence: 'Collision',
    because: 'it exists, and nothing says that it is the tenant’s',
  },
  {
    name: 'bundle with the CRD of a victim',
    aim: 'gain',
    attempt: picks('same-kind', WITH_CRDS),
    defence: 'Collision',
    because: 'the account may write CRDs, but this one is another Subscription’s',
  },
  {
    name: 'watchNamespaces of a victim',
    aim: 'gain',
    attempt: picks('plain', { watchNamespaces: [PLATFORM] }),
    defence: 'Forbidden',
    because: 'roles in that namespace are applied as the account',
  },
];

export const GAIN: readonly Way[] = [
  ...BUNDLES_THAT_GRAB,
  {
    name: 'copy of a victim’s Revision, owner uid and all',
    aim: 'gain',
    attempt: async (attacker) => attacker.send(post(REVISIONS, await copyOfRevision(attacker))),
    defence: 'refused',
    because: 'the manager makes Revisions',
  },
  {
    name: 'Subscription without an account under a generated name',
    aim: 'gain',
    attempt: ({ send }) => send(post(SUBSCRIPTIONS, wanting({}, { generateName: 'plain-' }))),
    defence: 'refused',
    because: 'the policy asks before there is a name',
  },
  {
    name: 'account taken away by another field manager',
    aim: 'gain',
    attempt: async ({ install, send }) => {
      await install('plain');
      const path = `${SUBSCRIPTIONS}/plain`;
      const body = wanting({ serviceAccountName: null }, { name: 'plain' });
      const query = { fieldManager: 'other', force: 'true' };
      const ending = await send({ method: 'PATCH', path, body, type: 'application/apply-patch+yaml', query });
      return ending === 'refused' ? send({ method: 'PUT', path, body: wanting({}, { name: 'plain' }) }) : ending;
    },
    defence: 'refused',
    because: 'it would act as the manager',
  },
  {
    name: 'request of the account itself',
    aim: 'gain',
    attempt: ({ send }) => send(post(SUBSCRIPTIONS, wanting({}, { name: 'plain' })), INSTALLER),
    defence: 'refused',
    because: 'the account may not act as the manager either',
  },
  {
    name: 'role of the account that gives it more',
    aim: 'gain',
    attempt: ({ send }) =>
      send(
        post(`/apis/rbac.authorization.k8s.io/v1/namespaces/${TEAM}/roles`, {
          metadata: { name: 'more' },
          rules: [{ apiGroups: ['slipway.dev'], resources: ['*'], verbs: ['*'] }],
        }),
        INSTALLER,
      ),
    defence: 'refused',
    because: 'without escalate it grants only what it has',
  },
  {
    name: 'own namespace labelled for a private Catalog',
    aim: 'gain',
    attempt: ({ send }) => send(patch(`/api/v1/namespaces/${TEAM}`, { metadata: { labels: TIER } })),
    defence: 'refused',
    because: 'edit does not write namespaces',
  },
  {
    name: 'account in spec.config',
    aim: 'gain',
    attempt: async ({ cluster, install }) => {
      await install('plain', { config: { serviceAccountName: 'astore', hostNetwork: true } });
      const deployment = await get(cluster, 'Deployment', 'plain', TEAM);
      return JSON.stringify(deployment.spec).includes('"serviceAccountName":"plain"') &&
        !JSON.stringify(deployment.spec).includes('hostNetwork')
        ? 'no effect'
        : 'Succeeded';
    },
    defence: 'no effect',
    because: 'there are no such fields, and Deployments are applied as the account',
  },
  {
    name: 'token Secret for the account of the manager',
    aim: 'gain',
    attempt: async ({ send }) => {
      const metadata = { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'slipway-manager' } };
      const secret = { metadata, type: 'kubernetes.io/service-account-token' };
      await send(post(SECRETS, secret));
      return send(post('/api/v1/namespaces/slipway-system/secrets', secret));
    },
    defence: 'refused',
    because: 'a token is for accounts of its own namespace, and he writes in no other',
  },
  {
    name: 'own Deployment that says it is a victim’s',
    aim: 'gain',
    attempt: async ({ cluster, send }) => {
      const { metadata, spec } = await get<{ metadata: Record<string, object>; spec: object }>(
        cluster,
        'Deployment',
        'store',
        PLATFORM,
      );
      const annotations = { ...metadata['annotations'], [ANNOTATION.adoptBy]: `${PLATFORM}/store` };
      const body = { metadata: { name: 'store', labels: metadata['labels'], annotations }, spec };
      if (metadata['labels'] === undefined || !(LABEL.owner in metadata['labels'])) throw new Error('it has no label');
      return send(post(DEPLOYMENTS, body));
    },
    defence: 'no effect',
    because: 'only objects of the inventory are applied and deleted',
  },
];
