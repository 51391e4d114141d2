/** Ways to read other users' data from Slipway's reports. */
import { API_VERSION } from '../../../api/names.ts';
import { post, SUBSCRIPTIONS, type Attacker, type Ending, type Way } from './ways-attacker.ts';
import { OTHER, PLATFORM, TEAM, WITH_CRDS } from './ways-scene.ts';

/** Names of objects, of a private Catalog and of its versions, which no tenant is to read. */
const HIDDEN = [/precious/, /vault\.v/, /private-login/, /audience/, /Catalog private/i];

/** The ending, or an alarm if the tenant can read a part of it. */
async function quietly(attacker: Attacker, ending: Ending, further: readonly RegExp[] = []): Promise<Ending> {
  const text = await attacker.read();
  const found = [...HIDDEN, ...further].flatMap((secret) => secret.exec(text)?.[0] ?? []);
  if (found.length > 0) throw new Error(`the tenant reads ${found.join(', ')} in ${text.slice(0, 20_000)}`);
  return ending;
}

function asks(spec: object): Way['attempt'] {
  return async (attacker) => {
    await attacker.subscribe('curious', spec);
    return quietly(attacker, await attacker.reasonOf('curious'));
  };
}

async function bauble({ cluster }: Attacker): Promise<void> {
  const manifest = { apiVersion: 'tiny.example/v1', kind: 'Bauble', metadata: { name: 'precious', namespace: OTHER } };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(manifest));
}

export const READ: readonly Way[] = [
  {
    name: 'package of a private Catalog',
    aim: 'read',
    attempt: asks({ package: 'vault' }),
    defence: 'PackageNotFound',
    because: 'to the Subscriptions of others the Catalog does not exist',
  },
  {
    name: 'labels of a private Catalog by a selector',
    aim: 'read',
    attempt: async (attacker) => {
      await attacker.subscribe('curious', {
        package: 'vault',
        catalogSelector: { matchLabels: { 'example.com/audience': 'platform' } },
      });
      const reason = await attacker.reasonOf('curious');
      const text = await attacker.read();
      return /vault\.v|[Cc]atalog "?private/.test(text) ? 'Succeeded' : reason;
    },
    defence: 'PackageNotFound',
    because: 'a selector selects among those that may be used',
  },
  {
    name: 'content of a private Catalog by its name',
    aim: 'read',
    attempt: async (attacker) => {
      await attacker.subscribe('curious', { package: 'vault', catalog: 'private', version: '2.0.0', channel: 'none' });
      const reason = await attacker.reasonOf('curious');
      return /vault\.v|stable|private-login/.test(await attacker.read()) ? 'Succeeded' : reason;
    },
    defence: 'CatalogNotAllowed',
    because: 'it is not read for a namespace that it does not select',
  },
  {
    name: 'package that is nearly called like a private one',
    aim: 'read',
    attempt: asks({ package: 'vaul' }),
    defence: 'PackageNotFound',
    because: 'advice comes from Catalogs that may be used',
  },
  {
    name: 'dependency on a private package',
    aim: 'read',
    attempt: async (attacker) => {
      await attacker.subscribe('peeker');
      const reason = await attacker.reasonOf('peeker');
      const text = await attacker.read();
      return /2\.0\.0|Catalog private|private-login|precious/.test(text) ? 'Succeeded' : reason;
    },
    defence: 'ResolutionFailed',
    because:
      'the message names the Subscription and the version that others have installed, and not the content of their Catalog',
  },
  {
    name: 'roles of a victim by watchNamespaces',
    aim: 'read',
    attempt: async (attacker) => {
      const secrets = [/Subscription platform|belongs to|by now|exists already/];
      await attacker.subscribe('curious', { package: 'lib', watchNamespaces: [PLATFORM] });
      const ending = await quietly(attacker, await attacker.reasonOf('curious'), secrets);
      await attacker.uninstall('curious');
      return quietly(attacker, ending, secrets);
    },
    defence: 'Forbidden',
    because: 'existing objects are read as the account, and objects of others count as gone in the removal',
  },
  {
    name: 'custom resources of others that keep an own CRD',
    aim: 'read',
    attempt: async (attacker) => {
      await attacker.install('own-kind', { ...WITH_CRDS, uninstall: { customResources: 'Block' } });
      await bauble(attacker);
      await attacker.send({ method: 'DELETE', path: `${SUBSCRIPTIONS}/own-kind` });
      const ending = await quietly(attacker, await attacker.reasonOf('own-kind'), [new RegExp(`${OTHER}/`)]);
      await attacker.cluster.kubectl(['delete', 'baubles.tiny.example', '-n', OTHER, '--all']);
      return ending;
    },
    defence: 'DeleteBlocked',
    because: 'messages for a tenant count what is in other namespaces',
  },
  {
    name: 'dry run of a change that the policy refuses',
    aim: 'read',
    attempt: ({ send }) =>
      send({
        ...post(SUBSCRIPTIONS, {
          apiVersion: API_VERSION,
          kind: 'Subscription',
          metadata: { name: 'curious', namespace: TEAM },
          spec: { package: 'vault' },
        }),
        query: { dryRun: 'All' },
      }),
    defence: 'refused',
    because: 'admission is the same for a dry run',
  },
  {
    name: 'environment from a Secret that is not there',
    aim: 'read',
    attempt: async (attacker) => {
      const envFrom = [{ secretRef: { name: 'private-login' } }];
      await attacker.subscribe('plain', { config: { envFrom } });
      const seen = await attacker.reasonOf('plain', (one) => one !== 'Progressing');
      void seen;
      return /dTpw/.test(await attacker.read()) ? 'Succeeded' : 'no effect';
    },
    defence: 'no effect',
    because: 'a Pod reads Secrets of its own namespace only',
  },
];
