import { describe, expect, test } from 'vitest';
import { FakeApiError } from '../../../apply/fake-cluster.ts';
import type { KubeObject } from '../../../api/object.ts';
import { ask } from './ask.ts';
import type { Question } from './probe-objects.ts';

const question = (name: string): Question => ({
  service: name,
  webhook: {
    caller: { apiVersion: 'v1', kind: 'X', name },
    service: { namespace: 'ops', name },
    port: 443,
    path: '/x',
    caBundle: '',
  },
});
const called = (webhook: string, why: string): FakeApiError =>
  new FakeApiError(
    500,
    'InternalError',
    `failed calling webhook "${webhook}.probe.slipway.dev": failed to call webhook: Post "https://x": ${why}`,
  );
const NEXT = called('end', 'service "slipway-nobody" not found');

/** An API server that answers the questions of each index with these in turn, the last again and again. */
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

describe('asking', () => {
  test('ends with nothing where everybody answers, each asked once', async () => {
    const api = server({});
    expect(await ask(api, options(9))).toBeUndefined();
    expect(api.asked.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('names the first who does not, and what the API server says of it', async () => {
    const api = server({ 2: [called('webhook-2', 'EOF')] });
    expect(await ask(api, options(3))).toEqual({ question: question('s2'), because: 'EOF' });
  });

  test('goes on for a moment: nodes learn of Pods, and API servers of configurations', async () => {
    const api = server({ 0: [undefined, called('webhook-0', 'connection refused'), NEXT] });
    expect(await ask(api, options(1, 2000))).toBeUndefined();
    expect(api.asked).toHaveLength(3);
  });

  test('tells who was never asked from who is silent', async () => {
    expect(await ask(server({ 0: [undefined] }), options(1))).toEqual({ question: question('s0') });
  });

  test('fails where there is no API server to ask', async () => {
    const gone = new FakeApiError(0, '', 'connect ECONNREFUSED');
    await expect(ask(server({ 0: [gone] }), options(1))).rejects.toBe(gone);
  });
});
