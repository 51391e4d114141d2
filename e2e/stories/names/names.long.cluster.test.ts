/** The commands of the documents and messages, typed in a cluster where OLM and Knative have kinds of the same names. */
import { beforeAll, describe, expect, test } from 'vitest';
import { REVISION_SPEC } from '../../../api/crd/testing/rule-cases.ts';
import { KINDS } from '../../../api/kinds.ts';
import { ANNOTATION, API_VERSION, GROUP } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isFull, kindWords, kubectlCommands, type KubectlCommand } from '../../../scripts/kubectl-commands.ts';
import { readText, repositoryFiles } from '../../../scripts/source-files.ts';
import { useCluster } from '../../lib/cluster.ts';
import { namesakesOf, OTHER_CRDS } from './others.ts';

const cluster = useCluster();

/** What the texts leave open. */
const PLACEHOLDERS: readonly (readonly [string, string])[] = [
  ['{{ $labels.catalog }}', 'examples'],
  ['{{ $labels.policy }}', 'team'],
  ['${metadata.namespace}', 'lights'],
  ['subscriptions.slipway.dev ${metadata.name}', 'subscriptions.slipway.dev beacon'],
  ['${ANNOTATION.reconcileRequestedAt}', ANNOTATION.reconcileRequestedAt],
  ['${metadata.name}', 'beacon-2'],
];

/** All commands with a kind of Slipway's, each once. */
const commands = distinct(
  repositoryFiles()
    .filter((path) =>
      /^README\.md$|^docs\/.*\.md$|^deploy\/monitoring\/rules\.yaml$|^controllers\/.*wording\.ts$/.test(path),
    )
    .flatMap((path) => kubectlCommands(filledIn(readText(path) ?? '')))
    .filter((command) => kindWords(command).some((word) => isFull(word.split(/[,/]/)[0] ?? ''))),
);

function filledIn(text: string): string {
  return PLACEHOLDERS.reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

function distinct(all: readonly KubectlCommand[]): readonly KubectlCommand[] {
  return [...new Map(all.map((command) => [command.words.join(' '), command])).values()];
}

const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'Succeeded',
  message: 'ours',
  lastTransitionTime: '2026-01-02T03:04:05Z',
};
const ADOPTED = { ...READY, type: 'Adopted', reason: 'Adopted' };
const INSTALLED = {
  bundle: 'b.v1',
  version: '1.1.0',
  image: 'r.example/b@sha256:0',
  catalog: 'examples',
  channel: 'stable',
  revision: 'beacon-1',
};

const ours: readonly KubeObject[] = [
  { ...sample('Catalog', 'examples'), spec: { source: { image: { ref: 'r.example/c:v1' } } } },
  { ...sample('Catalog', 'internal'), spec: { source: { image: { ref: 'r.example/c:v1' } } } },
  { ...sample('Catalog', 'signed'), spec: { source: { image: { ref: 'r.example/c:v1' } } } },
  { ...sample('Subscription', 'beacon'), spec: { package: 'beacon-operator', version: '1.1.0' } },
  { ...sample('Revision', 'beacon-1'), spec: { ...REVISION_SPEC, subscription: 'beacon' } },
  { ...sample('Revision', 'beacon-2'), spec: { ...REVISION_SPEC, subscription: 'beacon', number: 2 } },
  { ...sample('RegistryPolicy', 'team'), spec: { prefix: 'r.example/team' } },
  { ...sample('Revision', 'gadget-1', 'gadget'), spec: { ...REVISION_SPEC, subscription: 'gadget' } },
  { ...sample('Subscription', 'gadget-operator', 'gadgets'), spec: { package: 'gadget-operator' } },
];

function sample(kind: string, name: string, namespace = 'lights'): KubeObject {
  const isNamespaced = KINDS.some((one) => one.kind === kind && one.scope === 'Namespaced');
  return { apiVersion: API_VERSION, kind, metadata: { name, ...(isNamespaced && { namespace }) } };
}

function pluralOf(kind: string): string | undefined {
  return KINDS.find((one) => one.kind === kind)?.plural;
}

beforeAll(async () => {
  const { kubectl } = cluster();
  const listOf = (items: readonly KubeObject[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectl(['apply', '-f', '-'], listOf(OTHER_CRDS));
  await kubectl(['apply', '--server-side', '-f', 'deploy/crds']);
  await kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  for (const name of ['lights', 'gadget', 'gadgets']) await kubectl(['create', 'namespace', name]);
  await kubectl(['apply', '-f', '-'], listOf([...ours, ...ours.flatMap(namesakesOf)]));
  for (const { kind, metadata } of ours) {
    const target = `${pluralOf(kind)}.${GROUP}/${metadata.name}`;
    const status = {
      observedGeneration: 1,
      conditions: [READY, ...(kind === 'Subscription' ? [ADOPTED] : [])],
      ...(kind === 'Subscription' && { installed: INSTALLED }),
    };
    const namespace = metadata.namespace === undefined ? [] : ['-n', metadata.namespace];
    const patch = ['patch', target, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    await kubectl([...namespace, ...patch]);
  }
  for (const [index, object] of [...ours, ...ours.flatMap(namesakesOf)].entries())
    await kubectl(['create', '-f', '-'], JSON.stringify(eventAbout(object, index)));
});

function eventAbout({ apiVersion, kind, metadata }: KubeObject, index: number): KubeObject {
  const { name, namespace = 'default' } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `about-${index}`, namespace },
    involvedObject: { apiVersion, kind, name, namespace },
    reason: 'Told',
    message: `about ${apiVersion} ${name}`,
    type: 'Normal',
    lastTimestamp: '2026-01-02T03:04:05Z',
  };
}

describe('in a cluster with kinds of the same names', () => {
  const shared = KINDS.filter(({ kind }) => namesakesOf(sample(kind, 'x')).length > 0);
  test.each(shared)('$singular alone is another project’s', async ({ singular, scope }) => {
    const where = scope === 'Namespaced' ? ['-n', 'lights'] : [];
    expect(await cluster().kubectl([...where, 'get', singular, '-o', 'name'])).not.toContain(GROUP);
  });

  test.each(commands.map(({ words }) => ({ words, typed: words.join(' ') })))(
    'kubectl $typed is about Slipway’s',
    async ({ words }) => {
      const { args, says } = harmless(words);
      const printed = (await cluster().kubectl(args)).trim().split('\n');
      expect(printed.filter((line) => !says.test(line))).toEqual([]);
    },
  );

  test('every verb of the documents is typed', () => {
    const verbs = new Set(commands.flatMap(({ words }) => VERBS.filter((verb) => words.includes(verb))));
    expect(verbs).toEqual(new Set(VERBS));
    expect(commands.length).toBeGreaterThan(25);
  });
});

const VERBS = ['get', 'describe', 'delete', 'patch', 'annotate', 'wait', 'events', 'explain'] as const;

const NAMED = new RegExp(
  String.raw`^(?:(?:catalog|subscription|revision|registrypolicy)\.${GROUP.replace('.', String.raw`\.`)}|deployment\.apps)[/" ]`,
);

/** The same command, which changes nothing, and the pattern of each line that it prints. */
function harmless(words: readonly string[]): { readonly args: readonly string[]; readonly says: RegExp } {
  const verb = VERBS.find((one) => words.includes(one));
  switch (verb) {
    case 'get':
      return { args: [...bare(words), '-o', 'name'], says: NAMED };
    case 'delete':
    case 'patch':
    case 'annotate':
      return { args: [...bare(words), '--dry-run=server', '-o', 'name'], says: NAMED };
    case 'wait':
      return { args: [...bare(words), '--timeout=5s'], says: NAMED };
    case 'events':
      return { args: [...words, '--no-headers'], says: new RegExp(`about ${API_VERSION}`) };
    case 'describe':
      return { args: bare(words), says: new RegExp(String.raw`^(?!API Version:)|${API_VERSION}`) };
    default:
      return { args: words, says: new RegExp(`^(?!GROUP:)|${GROUP}`) };
  }
}

/** Without an output of its own, a watch, and the prose that follows a command; in the namespace of the objects. */
function bare(words: readonly string[]): readonly string[] {
  const output = words.indexOf('-o');
  const cut = output < 0 ? words : words.toSpliced(output, 2);
  const prose = cut.findIndex((word) => word === 'says' || word === 'shows');
  const command = (prose < 0 ? cut : cut.slice(0, prose)).filter((word) => !/^--(?:watch|timeout=.*)$/.test(word));
  const isPlaced = command.some((word) => ['-n', '-A', '--all-namespaces'].includes(word));
  return isPlaced ? command : ['-n', 'lights', ...command];
}
