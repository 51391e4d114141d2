/** A fake API server with Slipway's kinds, and the command line connected to it. */
import { afterAll, beforeAll } from 'vitest';
import type { KubeObject } from '../../../../api/object.ts';
import { startFakeApi, type FakeApi } from '../../../../kube/testing/fake-api.ts';
import { resource } from '../../../../kube/testing/fake-kinds.ts';
import { clusterEntry, kubeconfigText } from '../../../../kube/testing/kubeconfig-text.ts';
import { useWorkplace, type Finished, type RunOptions } from '../../testing/slipway.ts';
import { INSTALLED, READY, revision, subscription, untyped } from '../../../../report/testing/objects.ts';

export interface FakeCluster {
  readonly api: FakeApi;
  /** Where relative paths begin. */
  readonly folder: string;
  /** Runs with a kubeconfig whose namespace is `ops`. */
  readonly run: (...args: readonly string[]) => Promise<Finished>;
  /** Runs without these flags. */
  readonly alone: (...args: readonly string[]) => Promise<Finished>;
  readonly aloneWith: (options: RunOptions, ...args: readonly string[]) => Promise<Finished>;
  readonly runWith: (options: RunOptions, ...args: readonly string[]) => Promise<Finished>;
}

/** For the tests of one file: Subscription `gadget` in `ops` with two Revisions, `lamp` in `home`, and Catalog `team`. */
export function useFakeCluster(): () => FakeCluster {
  const workplace = useWorkplace();
  let api: FakeApi | undefined;
  beforeAll(async () => {
    api = await startFakeApi();
    const ours = (kind: string, namespaced = true) =>
      resource('slipway.dev/v1alpha1', kind, `${kind.toLowerCase()}s`, namespaced);
    for (const kind of [ours('Subscription'), ours('Revision'), ours('Catalog', false), POLICIES]) api.serve(kind);
    for (const object of OBJECTS) api.put(object);
    workplace().write(new Map([['kubeconfig', kubeconfigText({ token: 't' }, clusterEntry(api.config))]]));
  });
  afterAll(() => api?.close());
  return () => {
    if (api === undefined) throw new Error('The cluster is there once the tests run');
    const cluster = ['--kubeconfig', 'kubeconfig', '--context', 'two'];
    const runWith: FakeCluster['runWith'] = (options, ...args) => workplace().runWith(options, ...args, ...cluster);
    const { folder } = workplace();
    return {
      api,
      folder,
      runWith,
      run: (...args) => runWith({}, ...args),
      alone: (...args) => workplace().run(...args),
      aloneWith: (options, ...args) => workplace().runWith(options, ...args),
    };
  };
}

const POLICIES = resource('slipway.dev/v1alpha1', 'RegistryPolicy', 'registrypolicies', false);

const pending = { revision: 'gadget-2', bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'ApprovalRequired' };
const inventory = [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'settings', uid: 'x', hash: 'h' }];

const OBJECTS: readonly KubeObject[] = [
  untyped(subscription({ status: { installed: INSTALLED, pending, conditions: [READY] } })),
  untyped(revision(1, '1.0.0', { status: { inventory, conditions: [READY], firstReadyTime: '2026-01-01T00:00:00Z' } })),
  untyped(revision(2, '2.0.0', { spec: { approved: false, state: 'Archived' } })),
  untyped(subscription({ metadata: { name: 'lamp', namespace: 'home', labels: { room: 'hall' } } })),
  { apiVersion: 'slipway.dev/v1alpha1', kind: 'Catalog', metadata: { name: 'team' }, spec: { priority: 0 } },
];
