import type { CatalogModel, PackageModel, PackageTile, SubscribeModel } from '../../../data/models.ts';

function tile(
  name: string,
  title: string,
  provider: string,
  description: string,
  more: Partial<PackageTile> = {},
): PackageTile {
  return {
    href: `/catalog/team/${name}`,
    catalog: 'team',
    package: name,
    title,
    provider,
    description,
    categories: ['Security'],
    version: '1.16.1',
    installed: [],
    ...more,
  };
}

const TILES: readonly PackageTile[] = [
  tile(
    'cert-manager',
    'cert-manager',
    'The cert-manager maintainers',
    'Issues and renews TLS certificates from Let’s Encrypt, Vault, Venafi and private authorities.',
    {
      installed: [{ label: 'security/cert-manager 1.14.0', href: '/subscriptions/security/cert-manager' }],
    },
  ),
  tile(
    'external-secrets',
    'External Secrets',
    'External Secrets Inc.',
    'Synchronises secrets from external providers into Kubernetes.',
  ),
  tile(
    'strimzi-kafka-operator',
    'Strimzi',
    'Strimzi',
    'Runs Apache Kafka clusters, Connect, MirrorMaker and their users and topics.',
    { categories: ['Streaming'] },
  ),
  tile(
    'postgresql',
    'Crunchy Postgres for Kubernetes',
    'Crunchy Data',
    'Production PostgreSQL with high availability, backups and monitoring.',
    { categories: ['Database'] },
  ),
  tile('grafana-operator', 'Grafana', 'Grafana community', 'Manages Grafana instances, dashboards and data sources.', {
    deprecated: 'Use version 5',
  }),
  tile(
    'keycloak-operator',
    'Keycloak',
    'Red Hat',
    'Installs and manages Keycloak, an identity and access management solution.',
  ),
];

/** Filters as the server does. */
export function catalogModel(query: URLSearchParams): CatalogModel {
  const search = (query.get('search') ?? '').toLowerCase();
  const tiles = TILES.filter(({ title, description, provider }) =>
    `${title} ${description} ${provider}`.toLowerCase().includes(search),
  );
  return {
    title: 'Catalog',
    notices: [],
    search,
    found: tiles.length === TILES.length ? 370 : tiles.length,
    tiles,
    ...(search === '' && { more: { label: 'Next page', href: '/catalog?cursor=6' } }),
    categories: [
      { name: 'All', count: 370, isChosen: true, href: '/catalog' },
      { name: 'Database', count: 41, isChosen: false, href: '/catalog?category=Database' },
      { name: 'Monitoring', count: 38, isChosen: false, href: '/catalog?category=Monitoring' },
      { name: 'Security', count: 55, isChosen: false, href: '/catalog?category=Security' },
      { name: 'Streaming', count: 12, isChosen: false, href: '/catalog?category=Streaming' },
    ],
    catalogs: [{ name: 'team', state: { word: 'Ready', tone: 'good' }, message: '', packages: 370, bundles: 4473 }],
    ...(tiles.length === 0 && {
      empty: { message: `No operator matches “${search}”.`, next: [{ label: 'Show all', href: '/catalog' }] },
    }),
  };
}

const DESCRIPTION = `cert-manager adds certificates and issuers as resource types in Kubernetes clusters.

## Features

* Issues from **Let’s Encrypt**, Vault and Venafi
* Renews before expiry

### Limits

| version | Kubernetes |
| --- | --- |
| 1.16 | 1.25 – 1.32 |

See [the documentation](https://cert-manager.io/docs/) and \`cmctl check api\`.
`;

export const packageModel: PackageModel = {
  title: 'cert-manager',
  notices: [],
  catalog: 'team',
  package: 'cert-manager',
  provider: 'The cert-manager maintainers',
  description: DESCRIPTION,
  isCut: false,
  categories: ['Security'],
  keywords: ['tls', 'certificates', 'acme'],
  facts: [
    { name: 'Capability level', values: ['Full Lifecycle'] },
    { name: 'Maturity', values: ['stable'] },
    { name: 'Licence', values: ['Apache-2.0'] },
  ],
  links: [{ label: 'Source', href: 'https://github.com/cert-manager/cert-manager' }],
  channels: [
    {
      name: 'stable',
      isDefault: true,
      isChosen: true,
      head: '1.16.1',
      versions: 31,
      href: '/catalog/team/cert-manager?channel=stable',
    },
    {
      name: 'candidate',
      isDefault: false,
      isChosen: false,
      head: '1.17.0-rc.1',
      versions: 40,
      href: '/catalog/team/cert-manager?channel=candidate',
    },
  ],
  versions: ['1.16.1', '1.16.0', '1.15.2', '1.14.0'].map((version) => ({
    version,
    bundle: `cert-manager.v${version}`,
    channels: ['stable', 'candidate'],
    installed:
      version === '1.14.0' ? [{ label: 'security/cert-manager', href: '/subscriptions/security/cert-manager' }] : [],
    subscribe: { label: 'Subscribe', href: `/subscribe?catalog=team&package=cert-manager&version=${version}` },
  })),
  provides: [
    {
      kind: 'Certificate',
      group: 'cert-manager.io',
      version: 'v1',
      description: 'A certificate that is kept up to date.',
    },
    { kind: 'ClusterIssuer', group: 'cert-manager.io', version: 'v1', title: 'Cluster issuer' },
  ],
  needs: ['Kubernetes 1.25 or newer'],
  installModes: ['AllNamespaces'],
  rights: [
    { danger: { word: 'dangerous', tone: 'bad' }, words: 'may read and write Secrets', scope: 'in every namespace' },
    { danger: { word: 'usual', tone: 'off' }, words: 'may create Events', scope: 'in every namespace' },
  ],
  installed: [{ label: 'security/cert-manager', href: '/subscriptions/security/cert-manager' }],
  subscribe: { label: 'Subscribe…', href: '/subscribe?catalog=team&package=cert-manager' },
  buttons: [],
};

/** The YAML follows from the fields, as the server has it. */
export function subscribeModel(query: URLSearchParams): SubscribeModel {
  const of = (name: string, otherwise = ''): string => query.get(name) ?? otherwise;
  const [namespace, name] = [of('namespace'), of('name', 'cert-manager')];
  const yaml = `apiVersion: slipway.dev/v1alpha1
kind: Subscription
metadata:
  name: ${name}
  namespace: ${namespace === '' ? 'NAMESPACE' : namespace}
spec:
  package: cert-manager
  catalog: team
  channel: ${of('channel', 'stable')}
  approval: ${of('approval', 'Automatic')}
`;
  return {
    title: 'Subscribe to cert-manager',
    notices: [],
    fields: [
      {
        name: 'namespace',
        label: 'Namespace',
        help: 'The Subscription lives here, and the operator too unless it asks for another one.',
        value: namespace,
        required: true,
        ...(namespace === '' && { problem: 'Name a namespace.' }),
      },
      { name: 'name', label: 'Name', help: 'Of the Subscription.', value: name, required: true },
      {
        name: 'channel',
        label: 'Channel',
        help: 'Upgrades follow this channel.',
        value: of('channel', 'stable'),
        required: false,
        choices: [
          { value: 'stable', label: 'stable (1.16.1)' },
          { value: 'candidate', label: 'candidate (1.17.0-rc.1)' },
        ],
      },
      {
        name: 'approval',
        label: 'Approval',
        help: 'Manual: each upgrade waits for a person.',
        value: of('approval', 'Automatic'),
        required: false,
        choices: [
          { value: 'Automatic', label: 'Automatic' },
          { value: 'Manual', label: 'Manual' },
        ],
      },
    ],
    yaml,
    ...(namespace !== '' && {
      button: {
        label: 'Apply',
        command: `kubectl create -f - <<'EOF'\n${yaml}EOF`,
        allowed: true,
        action: { kind: 'subscribe', namespace, name, package: 'cert-manager', catalog: 'team' },
      },
    }),
    hints: [{ command: 'slipway install cert-manager --catalog team', effect: 'does the same' }],
  };
}
