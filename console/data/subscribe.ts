/** The form that makes a Subscription; its state is the query of the view, and it always shows the YAML. Pure. */
import type { Catalog } from '../../api/catalog.ts';
import { upgradeGraph, compareHighestFirst } from '../../resolver/graph.ts';
import { Action, type ActionOf } from './actions.ts';
import type { ObjectAsk } from './ask.ts';
import { accessOfOffers, type Offer } from './buttons.ts';
import type { PackageContent } from './content.ts';
import { contentNotices } from './content-notices.ts';
import { manifestOf, quote } from './kubectl.ts';
import type { Choice, FormField, SubscribeModel } from './models.ts';
import { accountOf, reachNotices } from './objects.ts';
import { buttonsOf, termsOf } from './offers.ts';
import { namespaceAsks, sentenceOf, ServedNamespaces } from './served-namespaces.ts';
import { subscriptionFrom } from './steps.ts';
import { line, nameOf } from './text.ts';
import type { Asked, Parameters, View, Visible } from './view.ts';

const NAMES = [
  'namespace',
  'name',
  'catalog',
  'package',
  'channel',
  'version',
  'approval',
  'serviceAccountName',
  'watchNamespaces',
] as const;
type FieldName = (typeof NAMES)[number];

const MOST_CHOICES = 300;

export const subscribe: View<SubscribeModel> = {
  path: '/subscribe',
  query: NAMES,
  reads: ['catalogs', 'subscriptions'],
  ask: (visible, parameters) => {
    const wanted = wantedFrom(parameters);
    const catalogs = visible.catalogs.map(({ metadata }) => metadata.name).filter((name) => name === wanted.catalog);
    return {
      access: accessOfOffers(offersOf(wanted), accountOf(visible)),
      objects: labelAsks(visible, wanted),
      ...(wanted.package !== '' && catalogs.length > 0 && { content: { kind: 'package', catalogs, package: wanted.package } }), // prettier-ignore
    };
  },
  show: showSubscribe,
};

function labelAsks(visible: Visible, wanted: ActionOf<'subscribe'>): readonly ObjectAsk[] {
  return namespaceAsks(catalogOf(visible, wanted), [wanted.namespace]);
}

/** The one that the form names; none if it leaves the choice to the manager. */
function catalogOf({ catalogs }: Visible, { catalog }: ActionOf<'subscribe'>): readonly Catalog[] {
  return catalogs.filter(({ metadata }) => metadata.name === catalog);
}

function showSubscribe(visible: Visible, parameters: Parameters, asked: Asked): SubscribeModel {
  const wanted = wantedFrom(parameters);
  const answer = asked.packages?.get(wanted.catalog ?? '');
  const content = answer !== undefined && 'value' in answer ? answer.value : undefined;
  const served = new ServedNamespaces(labelAsks(visible, wanted), asked.objects);
  const problems = problemsOf(visible, wanted, served);
  const askedFor = offersOf(wanted);
  const [button] = problems.size > 0 ? [] : buttonsOf(askedFor, termsOf(visible, { askedFor, asked }));
  return {
    title: wanted.package === '' ? 'Subscribe' : nameOf(`Subscribe to ${wanted.package}`),
    notices: [
      ...reachNotices(visible, ['catalogs']),
      ...contentNotices(asked.packages ?? new Map()),
      // Of a namespace that is known not to be served, its field says so.
      ...(problems.has('namespace') ? [] : catalogOf(visible, wanted).flatMap((one) => served.notices(one, [wanted.namespace]))), // prettier-ignore
    ],
    fields: fieldsFor(visible, wanted, { content, problems }),
    yaml: manifestOf(subscriptionFrom(wanted)),
    ...(button !== undefined && { button }),
    hints: [{ command: installLine(wanted), effect: 'creates the same Subscription' }],
    ...(wanted.package === '' && {
      empty: {
        message: 'Choose a package first.',
        next: [{ label: 'Search the catalog', href: '/catalog' }],
      },
    }),
  };
}

/** The act as far as the query describes it; whether it is one is checked by {@link problemsOf}. */
function wantedFrom(parameters: Parameters): ActionOf<'subscribe'> {
  const text = (name: FieldName): string => line(parameters[name] ?? '', 300);
  const packageName = text('package');
  const optional = <Name extends FieldName>(name: Name): Partial<Record<Name, string>> =>
    text(name) === '' ? {} : ({ [name]: text(name) } as Record<Name, string>);
  const watched = (parameters['watchNamespaces'] ?? '').split(',').map((one) => line(one, 100)).filter(Boolean); // prettier-ignore
  return {
    kind: 'subscribe',
    namespace: text('namespace'),
    name: text('name') || packageName,
    package: packageName,
    ...optional('catalog'),
    ...optional('channel'),
    ...optional('version'),
    ...(text('approval') !== '' && { approval: text('approval') as 'Automatic' | 'Manual' }),
    ...optional('serviceAccountName'),
    ...(watched.length > 0 && { watchNamespaces: [...new Set(watched)].slice(0, 101) }),
  };
}

function offersOf(wanted: ActionOf<'subscribe'>): readonly Offer[] {
  return [{ label: 'Create the Subscription', action: wanted }];
}

const SAYINGS: Readonly<Record<FieldName, string>> = {
  namespace: 'Name the namespace in which the operator is to run',
  name: 'A name has small letters, digits, dots and dashes, and at most 200 characters',
  catalog: 'No Catalog has this name',
  package: 'Choose a package in the catalog',
  channel: 'A channel has at most 253 characters',
  version: 'A range of versions has at most 256 characters',
  approval: 'Choose Automatic or Manual',
  serviceAccountName: 'This cannot be the name of a ServiceAccount',
  watchNamespaces: 'Write at most 100 names of namespaces, separated by commas',
};

/** By name of the field, each with its sentence. */
function problemsOf(
  visible: Visible,
  wanted: ActionOf<'subscribe'>,
  served: ServedNamespaces,
): ReadonlyMap<string, string> {
  const { subscriptions, catalogs, reach } = visible;
  const result = Action.safeParse(wanted);
  const found = new Map<string, string>();
  for (const { path } of result.success ? [] : result.error.issues) {
    const name = String(path[0] ?? 'package') as FieldName;
    found.set(name, SAYINGS[name] ?? SAYINGS.package);
  }
  const isThere = subscriptions.some(
    ({ metadata }) => metadata.namespace === wanted.namespace && metadata.name === wanted.name,
  );
  if (isThere) found.set('name', `Subscription ${wanted.namespace}/${wanted.name} exists already`);
  const isKnown = catalogs.some(({ metadata }) => metadata.name === wanted.catalog);
  if (wanted.catalog !== undefined && !isKnown && reach.catalogs === 'all') found.set('catalog', SAYINGS.catalog);
  for (const one of catalogOf(visible, wanted)) {
    const why = served.whyNot(one, wanted.namespace);
    if (why !== undefined) found.set('namespace', line(sentenceOf(one, wanted.namespace, why)));
  }
  return found;
}

interface FormFacts {
  readonly content: PackageContent | undefined;
  readonly problems: ReadonlyMap<string, string>;
}

const TEXTS: Readonly<Record<FieldName, readonly [label: string, help: string]>> = {
  namespace: ['Namespace', 'The operator runs here, and watches what the package supports.'],
  name: ['Name', 'Of the Subscription; empty: that of the package.'],
  catalog: ['Catalog', 'Empty: all Catalogs, by their priority.'],
  package: ['Package', ''],
  channel: ['Channel', 'Empty: the default channel of the package; *: any.'],
  version: ['Version', 'A range such as ~1.4, or exactly one, which is a pin. Empty: the newest.'],
  approval: ['Approval', 'Manual: each version waits until a person has read its plan and approves it.'],
  serviceAccountName: [
    'ServiceAccount',
    'The operator is installed with its rights. Empty: with those of the manager.',
  ],
  watchNamespaces: ['Watched namespaces', 'Names, separated by commas. Empty: all, if the package supports it.'],
};

const REQUIRED: ReadonlySet<FieldName> = new Set(['namespace', 'package']);

function fieldsFor(
  visible: Visible,
  wanted: ActionOf<'subscribe'>,
  { content, problems }: FormFacts,
): readonly FormField[] {
  const choices = choicesFor(visible, wanted, content);
  return NAMES.map((name) => {
    const value = wanted[name] ?? '';
    const [label, help] = TEXTS[name];
    const problem = problems.get(name);
    const own = choices[name];
    return {
      name,
      label,
      help,
      value: typeof value === 'string' ? value : value.join(','),
      required: REQUIRED.has(name),
      ...(own !== undefined && { choices: own }),
      ...(problem !== undefined && { problem }),
    };
  });
}

function choicesFor(
  visible: Visible,
  wanted: ActionOf<'subscribe'>,
  content: PackageContent | undefined,
): Partial<Record<FieldName, readonly Choice[]>> {
  // prettier-ignore
  const catalogs = visible.catalogs.map(({ metadata }) => metadata.name).sort(); // prettier-ignore
  const approvals: readonly Choice[] = [
    { value: '', label: 'Automatic' },
    { value: 'Manual', label: 'Manual' },
  ];
  return {
    catalog: offered('any', catalogs, wanted.catalog),
    approval: approvals,
    ...(content !== undefined && contentChoices(content, wanted)),
  };
}

function contentChoices({ content }: PackageContent, wanted: ActionOf<'subscribe'>) {
  const graph = upgradeGraph(content);
  const channel = graph.channels.get(wanted.channel ?? content.defaultChannel);
  const bundles = channel === undefined ? [...graph.bundles.values()] : channel.entries.map(({ bundle }) => bundle);
  const versions = bundles.toSorted(compareHighestFirst).map(({ bundle }) => bundle.version);
  return {
    channel: offered(`default (${nameOf(content.defaultChannel)})`, [...graph.channels.keys()].sort(), wanted.channel), // prettier-ignore
    version: offered('newest', [...new Set(versions)], wanted.version),
  };
}

/** The present value is always among the choices. */
function offered(none: string, values: readonly string[], present: string | undefined): readonly Choice[] {
  const all = present === undefined || values.includes(present) ? values : [present, ...values];
  return [
    { value: '', label: none },
    ...all.slice(0, MOST_CHOICES).map((value) => ({ value: nameOf(value), label: nameOf(value) })),
  ];
}

function installLine(wanted: ActionOf<'subscribe'>): string {
  const option = (name: string, value: string | undefined): string => (value === undefined ? '' : ` --${name} ${quote(value)}`); // prettier-ignore
  const { namespace, name, package: packageName, watchNamespaces = [] } = wanted;
  return [
    `slipway install ${quote(packageName)} -n ${quote(namespace)}`,
    name === packageName ? '' : option('name', name),
    option('catalog', wanted.catalog),
    option('channel', wanted.channel),
    option('version', wanted.version),
    option('approval', wanted.approval),
    option('service-account', wanted.serviceAccountName),
    ...watchNamespaces.map((one) => option('watch-namespace', one)),
  ].join('');
}
