/** Every network policy lets names be resolved and the API server be reached, on whatever port these are after a translation. */
import { load, loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { reaches, type Egress } from './network-policy.ts';
import { readText } from './source-files.ts';

interface Policy {
  readonly spec: { readonly egress?: readonly Egress[] };
}

const POLICIES = [
  { name: 'of the manager', egress: egressOf('deploy/base/network-policy.yaml') },
  { name: 'of the console', egress: egressOf('deploy/console/network-policy.yaml') },
  { name: 'of the strict overlay', egress: strictEgress() },
  { name: 'of the chart', egress: chartEgress() },
];

describe.each(POLICIES)('the network policy $name', ({ egress }) => {
  test.each([
    { port: 53, because: 'most clusters' },
    { port: 5353, because: 'OpenShift' },
    { port: 8053, because: 'Gardener' },
  ])('lets names be resolved at Pods that listen on $port: $because', ({ port }) => {
    for (const protocol of ['UDP', 'TCP']) expect(reaches(egress, '10.0.0.10', port, protocol), protocol).toBe(true);
  });

  test('lets names be resolved by a cache on the node', () => {
    for (const protocol of ['UDP', 'TCP']) expect(reaches(egress, '169.254.20.10', 53, protocol), protocol).toBe(true);
  });

  test.each([
    { port: 443, because: 'most registries and issuers' },
    { port: 6443, because: 'kubeadm' },
    { port: 8443, because: 'minikube' },
    { port: 16443, because: 'MicroK8s' },
    { port: 2040, because: 'IBM Cloud' },
  ])('lets the API server be reached on $port: $because', ({ port }) => {
    for (const address of ['203.0.113.7', '2001:db8::7']) expect(reaches(egress, address, port), address).toBe(true);
  });

  test('keeps the credentials of the node away', () => {
    expect(reaches(egress, '169.254.169.254', 80)).toBe(false);
  });
});

test('the strict overlay lets no link-local address be reached on any port but that of names', () => {
  for (const protocol of ['UDP', 'TCP'])
    for (const port of [80, 443, 5353]) expect(reaches(strictEgress(), '169.254.169.254', port, protocol)).toBe(false);
});

function egressOf(path: string): readonly Egress[] {
  const policies = loadAll(readText(path) ?? '') as Policy[];
  return policies.flatMap(({ spec }) => spec.egress ?? []);
}

function strictEgress(): readonly Egress[] {
  const { patches } = load(readText('deploy/overlays/strict/kustomization.yaml') ?? '') as {
    readonly patches: readonly [{ readonly patch: string }];
  };
  const changes = load(patches[0].patch) as readonly { readonly path: string; readonly value: readonly Egress[] }[];
  return changes.find(({ path }) => path === '/spec/egress')?.value ?? [];
}

/** The rules are the end of the template, and have no values. */
function chartEgress(): readonly Egress[] {
  const text = readText('deploy/chart/templates/network-policy.yaml') ?? '';
  return (load(text.slice(text.indexOf('  egress:'))) as Required<Policy['spec']>).egress;
}
