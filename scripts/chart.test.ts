/** The templates of the chart, read as text: `helm` renders them in e2e/stories/in-cluster/deploy.long.cluster.test.ts. */
import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../cmd/console/options.ts';
import { readText, repositoryFiles } from './source-files.ts';

const FOLDER = 'deploy/chart/templates/';
const templates = repositoryFiles()
  .filter((path) => path.startsWith(FOLDER) && path.endsWith('.yaml'))
  .map((path) => ({ name: path.slice(FOLDER.length), text: readText(path) ?? '' }));

describe.each(templates)('the template $name', ({ text }) => {
  test('has no rule of a network policy for an empty list of peers, which would mean everyone', () => {
    const peers = [...text.matchAll(/- (?:from|to): *\{\{(.*)\}\}/g)].map(([, expression = '']) => expression.trim());
    expect(peers.filter((one) => !one.startsWith('- toYaml . |'))).toEqual([]);
  });
});

test.each(['nodeSelector', 'tolerations', 'logLevel', 'image.pullSecrets'])(
  'the value %s acts on the console, too',
  (value) => {
    for (const name of ['deployment.yaml', 'console.yaml'])
      expect(templates.find((one) => one.name === name)?.text, name).toContain(`.Values.${value}`);
  },
);

test('nodes run Linux whatever else the value asks of them, and a label that is asked for twice is there once', () => {
  for (const name of ['deployment.yaml', 'console.yaml'])
    expect(templates.find((one) => one.name === name)?.text, name).toContain(
      'nodeSelector: {{- merge (dict) (.Values.nodeSelector | default dict) (dict "kubernetes.io/os" "linux") | toYaml |',
    );
});

test('the manager elects with any number of replicas: two Pods of one replica run while one replaces the other', () => {
  for (const path of ['deploy/chart/templates/deployment.yaml', 'deploy/overlays/single-replica/kustomization.yaml'])
    expect(readText(path), path).not.toContain('SLIPWAY_LEADER_ELECT');
});

test('the console gets its log level by the variable that it reads', () => {
  const { env } = OPTIONS['log-level'];
  expect(templates.find(({ name }) => name === 'console.yaml')?.text).toContain(`- name: ${env}\n`);
});

test('other settings of the console make other Pods, and each is a text, as the API server takes no other', () => {
  const text = templates.find(({ name }) => name === 'console.yaml')?.text ?? '';
  expect(text).toContain('{{ toJson .Values.console.settings | sha256sum }}');
  expect(text).not.toContain('toYaml .Values.console.settings');
});

test('the peers of all network policies are values, or stand in the template', () => {
  const rules = templates.flatMap(({ text }) => text.match(/- from:/g) ?? []);
  expect(rules.length).toBeGreaterThanOrEqual(4);
});
