import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubeObject } from '../../api/object.ts';
import type { Client } from '../../kube/client/client.ts';
import type { Log } from '../../kube/log.ts';
import { createManualClock } from '../../kube/testing/manual-clock.ts';
import { createAccountsPolicy, judgePolicy, POLICY_NAME } from './accounts-policy.ts';
import { registerAccountsPolicy } from './metrics.ts';

const file = resolve(import.meta.dirname, '../../deploy/policies/accounts.yaml');
const SYSTEM = 'slipway-system';
const [policy, binding] = policyFor(SYSTEM);

/** As the chart renders it for a release in `namespace`. */
function policyFor(namespace: string): [KubeObject, KubeObject] {
  return loadAll(readFileSync(file, 'utf8').replaceAll(SYSTEM, namespace)) as [KubeObject, KubeObject];
}

function having(object: KubeObject, spec: object): KubeObject {
  return { ...object, spec: { ...(object as { readonly spec?: object }).spec, ...spec } };
}

describe('the policy is in force', () => {
  test.each([
    { bindings: [binding], because: 'it is as deploy/policies has it' },
    {
      bindings: [having(binding, { validationActions: ['Audit', 'Deny'] })],
      because: 'it denies, whatever else it does',
    },
    {
      bindings: [{ ...binding, metadata: { name: 'of-another-name' } } as KubeObject],
      because: 'a binding may have any name',
    },
    {
      bindings: [
        having(binding, { matchResources: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} } }),
      ],
      because: 'selectors that are empty select all',
    },
  ])('$because', ({ bindings }) => {
    expect(judgePolicy([[policy], bindings], SYSTEM)).toEqual({
      inForce: true,
      message: 'the policy slipway-accounts is in force',
    });
  });

  test('for a part of the namespaces if its bindings select them, and the message reports that', () => {
    const limited = having(binding, { matchResources: { namespaceSelector: { matchLabels: { team: 'x' } } } });
    expect(judgePolicy([[policy], [limited]], SYSTEM)).toMatchObject({ inForce: true });
    expect(judgePolicy([[policy], [limited]], SYSTEM).message).toContain('where its bindings select');
    expect(judgePolicy([[policy], [limited, binding]], SYSTEM).message).toBe('the policy slipway-accounts is in force');
  });
});

describe('the policy is not in force', () => {
  const operations = [{ apiGroups: ['slipway.dev'], operations: ['CREATE', 'UPDATE'] }];
  test.each([
    { policies: [], bindings: [], because: 'is not there' },
    { policies: [], bindings: [binding], because: 'is not there' },
    { policies: [{ ...policy, metadata: { name: 'x' } } as KubeObject], bindings: [binding], because: 'is not there' },
    { policies: [policy], bindings: [], because: 'has no binding that denies' },
    { policies: [policy], bindings: [having(binding, { policyName: 'x' })], because: 'has no binding that denies' },
    {
      policies: [policy],
      bindings: [having(binding, { validationActions: ['Warn'] })],
      because: 'has no binding that denies',
    },
    {
      policies: [having(policy, { failurePolicy: 'Ignore' })],
      bindings: [binding],
      because: 'lets pass what it cannot evaluate',
    },
    {
      policies: [having(policy, { matchConstraints: { resourceRules: operations } })],
      bindings: [binding],
      because: 'does not ask about deletions',
    },
    {
      policies: [{ ...policy, spec: undefined } as never],
      bindings: [binding],
      because: 'does not ask about deletions',
    },
    {
      policies: [policyFor('platform')[0]],
      bindings: [binding],
      because: 'does not ask about the manager in namespace slipway-system',
    },
  ])('if it $because, and the sentence says what to do', ({ policies, bindings, because }) => {
    const { inForce, message } = judgePolicy([policies, bindings], SYSTEM);
    expect(inForce).toBe(false);
    expect(message).toContain(`the policy ${POLICY_NAME} ${because}`);
    expect(message).toContain(
      'only to administrators of the cluster, or apply deploy/policies/accounts.yaml, or with Helm',
    );
  });

  test('if it asks about the manager of another namespace, and the sentence names the change of the file', () => {
    const { inForce, message } = judgePolicy([[policy], [binding]], 'platform');
    expect(inForce).toBe(false);
    expect(message).toContain('accounts.yaml with platform in place of slipway-system, or with Helm');
    expect(judgePolicy([[policyFor('platform')[0]], [binding]], 'platform').inForce).toBe(true);
  });
});

describe('the manager', () => {
  function start() {
    const state = { objects: [policy, binding] as readonly KubeObject[], fails: false };
    const lines: [string, string][] = [];
    const line = (level: string) => (_: object, message: string) => void lines.push([level, message]);
    const log: Log = {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      child: () => log,
    };
    const looked: string[] = [];
    const client: Pick<Client, 'list'> = {
      list: ({ kind }) => {
        looked.push(kind);
        if (state.fails) return Promise.reject(new Error('no answer'));
        return Promise.resolve(state.objects.filter((one) => one.kind === kind));
      },
    };
    const clock = createManualClock();
    const stop = new AbortController();
    const accounts = createAccountsPolicy(client, SYSTEM, log, clock);
    const registry = new Registry();
    registerAccountsPolicy(registry, accounts.inForce);
    const ended = accounts.run(stop.signal);
    const settle = async (): Promise<void> => {
      while (clock.timers === 0) await new Promise(setImmediate);
    };
    const after = async (seconds: number): Promise<void> => {
      clock.advance(seconds);
      await settle();
    };
    const metric = async (): Promise<string | undefined> =>
      /^slipway_accounts_policy_in_force (.*)$/m.exec(await registry.metrics())?.[1];
    return { state, lines, looked, settle, after, metric, accounts, stop, ended };
  }

  test('reports once that it is in force, and checks again every few minutes', async () => {
    const { lines, looked, settle, after, metric } = start();
    expect(await metric()).toBeUndefined();
    await settle();
    expect(await metric()).toBe('1');
    await after(300);
    await after(300);
    expect(looked).toHaveLength(6);
    expect(lines).toEqual([['info', 'the policy slipway-accounts is in force']]);
  });

  test('warns when it is removed, and reports when it is back', async () => {
    const { state, lines, settle, after, metric } = start();
    await settle();
    state.objects = [policy];
    await after(300);
    expect(await metric()).toBe('0');
    state.objects = [policy, binding];
    await after(300);
    expect(await metric()).toBe('1');
    expect(lines.map(([level]) => level)).toEqual(['info', 'warn', 'info']);
  });

  test('reports an unreadable policy as unknown, retries sooner, and continues', async () => {
    const { state, lines, settle, after, metric } = start();
    state.fails = true;
    await settle();
    await after(300);
    expect(await metric()).toBeUndefined();
    expect(lines.at(-1)).toEqual(['info', expect.stringContaining('cannot be read')]);
    state.fails = false;
    await after(30);
    expect(await metric()).toBe('1');
  });

  test('ends with the manager', async () => {
    const { settle, stop, ended } = start();
    await settle();
    stop.abort(new Error('the manager ends'));
    await ended;
  });
});
