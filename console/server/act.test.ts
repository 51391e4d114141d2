/** An act that has begun is carried to its end, and a repeated delete is no failure. */
import { expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import type { ApiRequest } from '../../kube/transport/api-request.ts';
import { ACTIONS } from '../data/testing/actions.ts';
import { requestsOf } from '../data/requests.ts';
import { carryOutAct } from './act.ts';

const ANN = { user: 'ann', groups: [] };
const NOW = new Date('2026-01-01T00:00:00Z');
const notFound = (): ApiError => new ApiError('x', { code: 404, message: 'gone', causes: [] });

test.each(ACTIONS)(
  '$action.kind sends all its requests, and none can be called off by a browser',
  async ({ action }) => {
    const sent: ApiRequest[] = [];
    const request = async (one: ApiRequest) => (sent.push(one), undefined as never);
    await carryOutAct(ANN, action, { transportOf: () => ({ request }), now: () => NOW });
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(requestsOf(action, NOW).map(({ method, path }) => `${method} ${path}`)); // prettier-ignore
    for (const { signal } of sent) expect(signal?.aborted).toBe(false);
  },
);

test('the sentence is about the object that the API server returns', async () => {
  const object = { kind: 'Subscription', metadata: { namespace: 'ops', name: 'gadget' }, spec: { suspend: true } };
  const text = (): string => JSON.stringify(object);
  const request = async () => ({ status: 200, headers: {}, body: Buffer.from(text()), text });
  const action = { kind: 'reconcile', namespace: 'ops', name: 'gadget' } as const;
  const done = await carryOutAct(ANN, action, { transportOf: () => ({ request }), now: () => NOW });
  expect(done).toContain('Subscription ops/gadget is suspended');
});

test.each(ACTIONS)(
  '$action.kind: an object that is gone is the end of an act that deletes it, and of no other one',
  async ({ action }) => {
    const requests = requestsOf(action, NOW);
    const deletes = requests.some(({ method }) => method === 'DELETE');
    for (const at of requests.keys()) {
      let count = 0;
      const request = async () => {
        if (count++ === at) throw notFound();
        return undefined as never;
      };
      const done = carryOutAct(ANN, action, { transportOf: () => ({ request }), now: () => NOW });
      if (deletes) await expect(done).resolves.toEqual(expect.any(String));
      else await expect(done).rejects.toMatchObject({ code: 404 });
    }
  },
);
