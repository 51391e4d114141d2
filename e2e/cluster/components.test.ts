import { expect, test } from 'vitest';
import { componentArgs, COMPONENTS, selectComponents, type Layout } from './components.ts';

const ports = { etcd: 1, etcdPeer: 2, api: 3, registry: 4 };
const layout: Layout = { folder: '/f', address: '127.0.0.1', serviceCidr: '10.96.0.0/16', ports };
const settings = { kubeApiQps: 'default', apiServerFlags: [], stageFiles: [] } as const;

test.each([
  { wanted: ['registry'], all: ['registry'], because: 'a registry needs no API' },
  { wanted: ['kube-apiserver'], all: ['etcd', 'kube-apiserver'], because: 'the API server keeps objects in etcd' },
  { wanted: ['kwok'], all: ['etcd', 'kube-apiserver', 'kwok'], because: 'kwok talks to the API' },
  { wanted: [...COMPONENTS].reverse(), all: [...COMPONENTS], because: 'what is needed starts first' },
] as const)('asked for $wanted, $all start, because $because', ({ wanted, all }) => {
  expect(selectComponents(wanted)).toEqual(all);
});

test('the Node stays ready however seldom it is heard of, and its taint is taken away', () => {
  const args = componentArgs('kube-controller-manager', layout, settings);
  expect(args).toContain('--node-monitor-grace-period=24h');
  expect(args.find((arg) => arg.startsWith('--controllers='))).not.toContain('-node-lifecycle');
});

test('kwok keeps its hands off Nodes that are not marked as fake', () => {
  expect(componentArgs('kwok', layout, settings)).toContain('--manage-all-nodes=false');
});

test.each(['kube-controller-manager', 'kube-scheduler'] as const)('%s has the request limits asked for', (name) => {
  expect(componentArgs(name, layout, settings).join(' ')).not.toContain('--kube-api-qps');
  expect(componentArgs(name, layout, { ...settings, kubeApiQps: 100 })).toContain('--kube-api-qps=100');
  expect(componentArgs(name, layout, { ...settings, kubeApiQps: 100 })).toContain('--kube-api-burst=200');
});

test('flags of the caller replace those of the same name: two lists would be joined', () => {
  const apiServerFlags = ['--authorization-mode=RBAC', '--v=2'];
  const args = componentArgs('kube-apiserver', layout, { ...settings, apiServerFlags });
  expect(args.filter((arg) => arg.startsWith('--authorization-mode'))).toEqual(['--authorization-mode=RBAC']);
  expect(args.slice(-2)).toEqual(apiServerFlags);
});
