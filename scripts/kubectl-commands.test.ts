/** Keeps every command that people are given unambiguous: OLM and Knative have kinds of the same names. */
import { describe, expect, test } from 'vitest';
import { GROUP } from '../api/names.ts';
import { ambiguousNames, isFull, kindWords, kubectlCommands } from './kubectl-commands.ts';
import { readText, repositoryFiles } from './source-files.ts';

/** Documents, sources that print, manifests and dashboards; a test may run any command in its own cluster. */
const files = repositoryFiles().filter(
  (path) => /\.(?:md|ts|ya?ml|json|tpl|txt)$|Makefile$/.test(path) && !/(?<!rules)\.test\.|testdata\//.test(path),
);
const commands = files.flatMap((path) =>
  kubectlCommands((readText(path) ?? '').replaceAll('${GROUP}', GROUP)).map((command) => ({
    at: `${path}:${command.line}`,
    command,
  })),
);

describe('the kubectl commands of documents, messages and alerts', () => {
  test('name the kinds of Slipway with their group', () => {
    const ambiguous = commands.flatMap(({ at, command }) => ambiguousNames(command).map((name) => `${at}: ${name}`));
    // The guide that removes OLM asks for the Subscriptions of OLM.
    expect(ambiguous.map((one) => one.replace(/:\d+/, ''))).toEqual([
      'docs/how-to/leave-olm-v0.md: subscriptions.operators.coreos.com',
    ]);
  });

  test('read the logs of every replica of the manager, not of the one that kubectl picks', () => {
    const ofOne = /\bkubectl [^\n`]*\blogs [^\n`]*\b(?:deploy|deployments?(?:\.apps)?|svc|service)\/slipway-manager/;
    expect(ofOne.test('kubectl -n slipway-system logs -f deployment/slipway-manager')).toBe(true);
    expect(files.filter((path) => ofOne.test(readText(path) ?? ''))).toEqual([]);
  });

  test('are found in the README, the guides, the sources and the alerts', () => {
    const full = commands.filter(({ command }) =>
      kindWords(command).some((word) => isFull(word.split(/[,/]/)[0] ?? '')),
    );
    const places = new Set(full.map(({ at }) => at.slice(0, at.lastIndexOf(':'))));
    for (const path of [
      'README.md',
      'docs/tutorial.md',
      'docs/how-to/see-why-nothing-happens.md',
      'controllers/subscription/wording.ts',
      'deploy/monitoring/rules.yaml',
    ])
      expect(places).toContain(path);
    expect(full.length).toBeGreaterThan(30);
  });
});

describe('a command is searched for names that others have too', () => {
  const rows: readonly { because: string; text: string; finds: readonly string[] }[] = [
    { because: 'OLM has Subscriptions', text: 'kubectl -n a get subscription b', finds: ['subscription'] },
    { because: 'Knative has Revisions', text: '`kubectl get revisions -A`', finds: ['revisions'] },
    { because: 'any project may have Catalogs', text: 'kubectl describe catalog x says why.', finds: ['catalog'] },
    { because: 'a full name belongs to one project', text: 'kubectl get subscriptions.slipway.dev b', finds: [] },
    { because: 'the singular has a group too', text: 'kubectl get revision.slipway.dev/b', finds: [] },
    {
      because: 'another group is another kind',
      text: 'kubectl get subscriptions.operators.coreos.com',
      finds: ['subscriptions.operators.coreos.com'],
    },
    {
      because: 'one of several is enough',
      text: 'kubectl get catalogs.slipway.dev,subscriptions',
      finds: ['subscriptions'],
    },
    { because: 'events name an object', text: 'kubectl -n a events --for subscription/b', finds: ['subscription'] },
    {
      because: 'a condition is no object',
      text: 'kubectl wait --for=condition=Ready subscription/b',
      finds: ['subscription'],
    },
    {
      because: 'fields are explained by the kind',
      text: 'kubectl explain subscriptions.spec',
      finds: ['subscriptions.spec'],
    },
    { because: 'a field of a full name', text: 'kubectl explain subscriptions.slipway.dev.spec', finds: [] },
    { because: 'a line may go on', text: 'kubectl -n a \\\n  delete subscription b', finds: ['subscription'] },
    { because: 'source code has templates', text: 'kubectl -n ${a} patch revision ${b} -p {}', finds: ['revision'] },
    { because: 'a file may be called so', text: 'kubectl delete -f samples/subscription.yaml', finds: [] },
    { because: 'an object may be called so', text: 'kubectl get deployment subscription', finds: [] },
    { because: 'prose is no command', text: 'kubectl shows the subscription', finds: [] },
    { because: 'the rest of a line is prose', text: '`kubectl get pods` of a subscription', finds: [] },
  ];

  test.each(rows)('$because: $text', ({ text, finds }) => {
    expect(kubectlCommands(text).flatMap(ambiguousNames)).toEqual(finds);
  });
});
