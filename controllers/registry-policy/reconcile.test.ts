/** The status of a RegistryPolicy, and how it follows the objects that the policy names. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeCertificate } from '../../kube/testing/fake-certificate.ts';
import { findCondition } from '../../api/conditions.ts';
import type { RegistryPolicy, RegistryPolicyManifest } from '../../api/registry-policy.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { silentLog } from '../../kube/log.ts';
import type { EventFacts } from '../events.ts';
import { writtenPolicies, type Written } from '../testing/policies.ts';
import { createRegistryPolicyReconciler } from './reconcile.ts';

const SYSTEM = 'slipway-system';
const NAME = 'team';
const SPEC = { prefix: 'quay.io/team' };
const { cert: CERTIFICATE } = await createFakeCertificate();

let cluster: FakeCluster;
let events: EventFacts[];

beforeEach(() => {
  cluster = createFakeCluster();
  events = [];
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM } });
});

function write(written: Written): void {
  for (const policy of writtenPolicies(written)) cluster.put(policy);
}

const policies = (): readonly RegistryPolicy[] =>
  cluster.objects().filter(({ kind }) => kind === 'RegistryPolicy') as unknown as readonly RegistryPolicy[];

async function reconcile(): Promise<{ readonly after: number | undefined; readonly policy: RegistryPolicy }> {
  const find = (name: string) => policies().find(({ metadata }) => metadata.name === name);
  const run = createRegistryPolicyReconciler({
    policies: { get: find, list: policies },
    cluster,
    namespace: SYSTEM,
    record: (_, event) => void events.push(event),
    now: () => new Date('2026-01-01T00:00:00Z'),
  });
  const result = await run({ name: NAME }, { signal: new AbortController().signal, log: silentLog });
  const policy = find(NAME);
  if (policy === undefined) throw new Error('the policy was deleted');
  return { after: result?.requeueAfterSeconds, policy };
}

function put(kind: 'Secret' | 'ConfigMap', name: string, data: Readonly<Record<string, string>>): void {
  cluster.put({ apiVersion: 'v1', kind, metadata: { name, namespace: SYSTEM }, data });
}

describe('a RegistryPolicy', () => {
  test('that can be used describes itself, and is left alone until it changes', async () => {
    write({ [NAME]: { ...SPEC, mirrors: [{ prefix: 'mirror.example/team' }], source: 'Never' } });
    const { policy, after } = await reconcile();
    expect(findCondition(policy.status?.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(findCondition(policy.status?.conditions, 'Ready')?.message).toContain('from 1 mirror only');
    expect(after).toBeUndefined();
    expect(events).toEqual([]);
  });

  test('that shares its prefix is not ready, and is again once the other one is gone', async () => {
    write({ [NAME]: SPEC, twin: SPEC });
    const { policy } = await reconcile();
    expect(findCondition(policy.status?.conditions, 'Ready')).toMatchObject({ reason: 'RegistryPolicyInvalid' });
    expect(findCondition(policy.status?.conditions, 'Stalled')?.message).toContain('RegistryPolicy twin');
    await reconcile();
    expect(events).toMatchObject([{ type: 'Warning', reason: 'RegistryPolicyInvalid' }]);
    await cluster.delete({ apiVersion: 'slipway.dev/v1alpha1', kind: 'RegistryPolicy', name: 'twin' });
    const { policy: alone } = await reconcile();
    expect(findCondition(alone.status?.conditions, 'Ready')?.status).toBe('True');
    expect(findCondition(alone.status?.conditions, 'Stalled')).toBeUndefined();
  });

  const login = Buffer.from('{"auths":{}}').toString('base64');
  test.each<{
    because: string;
    spec: Partial<RegistryPolicyManifest['spec']>;
    reason: string;
    correct: () => void;
    wrong?: () => void;
  }>([
    {
      because: 'its Secret is missing',
      spec: { pullSecret: { name: 'login' } },
      reason: 'PullSecretInvalid',
      correct: () => put('Secret', 'login', { '.dockerconfigjson': login }),
    },
    {
      because: 'the certificates are missing',
      spec: { certificateAuthority: { name: 'ca' } },
      reason: 'RegistryPolicyInvalid',
      correct: () => put('ConfigMap', 'ca', { 'ca.crt': CERTIFICATE }),
    },
    {
      because: 'the certificates cannot be read',
      spec: { certificateAuthority: { name: 'ca' } },
      reason: 'RegistryPolicyInvalid',
      wrong: () =>
        put('ConfigMap', 'ca', { 'ca.crt': '-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n' }),
      correct: () => put('ConfigMap', 'ca', { 'ca.crt': CERTIFICATE }),
    },
  ])('is not ready while $because, and looks again by itself', async ({ spec, reason, correct, wrong }) => {
    wrong?.();
    write({ [NAME]: { ...SPEC, ...spec } });
    const { policy, after } = await reconcile();
    expect(findCondition(policy.status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason });
    expect(after).toBe(15);
    correct();
    const { policy: ready, after: later } = await reconcile();
    expect(findCondition(ready.status?.conditions, 'Ready')?.status).toBe('True');
    expect(later).toBe(300);
  });

  test('with a trusted root that does not exist is not ready', async () => {
    const identities = [{ issuer: 'https://issuer.example', subject: 'a' }];
    write({ [NAME]: { ...SPEC, verify: { identities, trustedRoot: { name: 'root' } } } });
    const { policy } = await reconcile();
    expect(findCondition(policy.status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
  });
});
