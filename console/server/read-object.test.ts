/** Of a Deployment its own Pods are read, by its whole selector. */
import { expect, test } from 'vitest';
import type { Client } from '../../kube/client/client.ts';
import { readObject } from './read-object.ts';

const expression = (key: string, operator: string, values?: readonly string[]) => ({ key, operator, ...(values && { values }) }); // prettier-ignore

test.each([
  { because: 'labels', selector: { matchLabels: { app: 'lamp', tier: 'a' } }, asked: 'app=lamp,tier=a' },
  {
    because: 'a list of values',
    selector: { matchExpressions: [expression('app', 'In', ['lamp', 'bulb'])] },
    asked: 'app in (lamp,bulb)',
  },
  {
    because: 'excluded values',
    selector: { matchExpressions: [expression('app', 'NotIn', ['x'])] },
    asked: 'app notin (x)',
  },
  { because: 'a label that is there', selector: { matchExpressions: [expression('app', 'Exists')] }, asked: 'app' },
  {
    because: 'a label that is not',
    selector: { matchExpressions: [expression('old', 'DoesNotExist')] },
    asked: '!old',
  },
  {
    because: 'both',
    selector: { matchLabels: { app: 'lamp' }, matchExpressions: [expression('tier', 'Exists')] },
    asked: 'app=lamp,tier',
  },
])('$because', async ({ selector, asked }) => {
  // prettier-ignore
  expect(await askedFor(selector)).toEqual({ selectors: [asked, asked], podsFailure: undefined });
});

test.each([
  { because: 'no selector', selector: undefined },
  { because: 'an empty selector, which selects all Pods', selector: {} },
  { because: 'an operator that is not known', selector: { matchLabels: { app: 'x' }, matchExpressions: [expression('a', 'Near', ['b'])] } }, // prettier-ignore
  { because: 'an operator without its values', selector: { matchExpressions: [expression('app', 'In')] } },
  { because: 'expressions that are no list', selector: { matchExpressions: 'app' } },
])('no Pod is read of a Deployment with $because', async ({ selector }) => {
  expect(await askedFor(selector)).toEqual({
    selectors: [],
    podsFailure: expect.stringContaining('selector') as string,
  });
});

async function askedFor(selector: unknown) {
  const selectors: unknown[] = [];
  const client = {
    get: async () => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'ops', name: 'lamp', uid: 'u' }, spec: { selector } }), // prettier-ignore
    list: async ({ kind }: { kind: string }, { labelSelector }: { labelSelector?: string }) => {
      selectors.push(labelSelector);
      return kind === 'ReplicaSet' ? [{ metadata: { name: 'lamp-1', ownerReferences: [{ uid: 'u' }] } }] : [];
    },
  } as unknown as Client;
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'lamp' };
  const { podsFailure } = await readObject(client, { ref, pods: { tail: 20 } }, new AbortController().signal);
  return { selectors, podsFailure };
}
