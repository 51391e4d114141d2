import { describe, expect, test } from 'vitest';
import { refusal } from '../../../api/testing/refusal.ts';
import type { KubeObject } from '../../../api/object.ts';
import { ask } from './ask.ts';
import type { ProbeQuestion } from './probe-objects.ts';

const question = (name: string): ProbeQuestion => ({
  service: name,
  webhook: {
    caller: { apiVersion: 'v1', kind: 'X', name },
    service: { namespace: 'ops', name },
    port: 443,
    path: '/x',
    caBundle: '',
  },
});
const called = (webhook: string, why: string) =>
  refusal(
    500,
    'InternalError',
    `failed calling webhook "${webhook}.probe.slipway.dev": failed to call webhook: Post "https://x": ${why}`,
  );
const NEXT = called('end', 'service "slipway-absent" not found');

/** An API server that gives these answers in turn for the question of each index, the last one repeatedly. */
function server(answers: Readonly<Record<number, readonly (Error | undefined)[]>>): {
  create(object: KubeObject): Promise<KubeObject>;
  asked: number[];
} {
  const asked: number[] = [];
  return {
    asked,
    create(object) {
      const index = Number(object.metadata.labels?.['slipway.dev/probe']?.split('-').at(-1));
      const times = asked.filter((one) => one === index).length;
      asked.push(index);
      const turns = answers[index] ?? [NEXT];
      const answer = turns[Math.min(times, turns.length - 1)];
      return answer === undefined ? Promise.resolve(object) : Promise.reject(answer);
    },
  };
}

const options = (count: number, patienceMs = 0): Parameters<typeof ask>[1] => ({
  uid: 'u1',
  questions: Array.from({ length: count }, (_, index) => question(`s${index}`)),
  patienceMs,
  signal: new AbortController().signal,
});

describe('calling webhooks', () => {
  test('ask returns nothing if all webhooks answer, and calls each once', async () => {
    const api = server({});
    expect(await ask(api, options(9))).toBeUndefined();
    expect(api.asked.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("ask names the first webhook that does not answer, and the API server's message", async () => {
    const api = server({ 2: [called('webhook-2', 'EOF')] });
    expect(await ask(api, options(3))).toEqual({ question: question('s2'), because: 'EOF' });
  });

  test('ask repeats the call for a moment: nodes have to find Pods, API servers to read configurations', async () => {
    const api = server({ 0: [undefined, called('webhook-0', 'connection refused'), NEXT] });
    expect(await ask(api, options(1, 2000))).toBeUndefined();
    expect(api.asked).toHaveLength(3);
  });

  test('ask distinguishes a webhook that was never called from a silent one', async () => {
    expect(await ask(server({ 0: [undefined] }), options(1))).toEqual({ question: question('s0') });
  });

  test('ask fails if the API server cannot be reached', async () => {
    const gone = refusal(0, '', 'connect ECONNREFUSED');
    await expect(ask(server({ 0: [gone] }), options(1))).rejects.toBe(gone);
  });
});
