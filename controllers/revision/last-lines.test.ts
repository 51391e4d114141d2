import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { PodProblem } from '../../apply/explain-pods.ts';
import { readLastLines, withLastLines } from './last-lines.ts';

const problem = (kind: PodProblem['kind']): PodProblem => ({
  kind,
  pod: 'p-1',
  container: 'manager',
  message: 'it fails',
});
const options = { namespace: 'ops', signal: new AbortController().signal };

/** A server with these texts, by whether they are of the previous run; records its requests. */
function server(texts: { readonly previous?: string; readonly current?: string }): {
  readonly read: (path: string) => Promise<string>;
  readonly asked: URL[];
} {
  const asked: URL[] = [];
  return {
    asked,
    async read(path) {
      const url = new URL(path, 'https://server');
      asked.push(url);
      const text = url.searchParams.has('previous') ? texts.previous : texts.current;
      if (text === undefined) throw new Error('previous terminated container not found');
      return text;
    },
  };
}

describe('the last lines', () => {
  test('the last lines of a container that crashes are those of the run that crashed', async () => {
    const { read, asked } = server({ previous: 'a\nb\n', current: 'starting\n' });
    expect(await readLastLines(read, problem('CrashLooping'), options)).toEqual({ lines: ['a', 'b'] });
    expect(asked[0]?.pathname).toBe('/api/v1/namespaces/ops/pods/p-1/log');
    expect(asked[0]?.searchParams.get('container')).toBe('manager');
  });

  test("the last lines never include the kubelet's message about a log that is gone", async () => {
    const gone = 'unable to retrieve container logs for containerd://6d47';
    const { read } = server({ previous: gone, current: 'cannot open the table\n' });
    expect(await readLastLines(read, problem('CrashLooping'), options)).toEqual({ lines: ['cannot open the table'] });
    expect(
      await readLastLines(server({ previous: gone, current: gone }).read, problem('CrashLooping'), options),
    ).toEqual({ lines: [] });
  });

  test('the last lines are those of the only run if the container has not been started again yet', async () => {
    const { read } = server({ current: 'fatal\n' });
    expect(await readLastLines(read, problem('CrashLooping'), options)).toEqual({ lines: ['fatal'] });
  });

  test('the last lines of a container that is not ready are those of its present run', async () => {
    const { read, asked } = server({ previous: 'old', current: 'waiting for a lock' });
    expect(await readLastLines(read, problem('NotReady'), options)).toEqual({ lines: ['waiting for a lock'] });
    expect(asked).toHaveLength(1);
  });

  test.each(['ImagePull', 'Quota', 'Unschedulable', 'BadConfiguration'] as const)(
    'the last lines are not read if no container has run: %s',
    async (kind) => {
      const { read, asked } = server({ current: 'x' });
      expect(await readLastLines(read, problem(kind), options)).toEqual({ lines: [] });
      expect(asked).toEqual([]);
    },
  );

  test('the last lines are empty if they cannot be read: the rest of the message is unchanged', async () => {
    expect(await readLastLines(server({}).read, problem('NotReady'), options)).toEqual({ lines: [] });
  });

  test.each(['CrashLooping', 'NotReady'] as const)(
    'the last lines are empty if the account may not read them, and the missing right is named: %s',
    async (kind) => {
      const said = 'pods "p-1" is forbidden: User "jane" cannot get resource "pods/log"';
      const message = `GET /api/v1/namespaces/ops/pods/p-1/log?tailLines=5: ${said}`;
      const read = (): Promise<string> =>
        Promise.reject(new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message }));
      expect(await readLastLines(read, problem(kind), options)).toEqual({ lines: [], refusal: said });
    },
  );

  test('the last lines are few, short, without colours and without passwords', async () => {
    const long = 'x'.repeat(10_000);
    const text = ['1', '2', '3', `\u001B[31mred\u001B[0m`, 'to https://me:secret@host', 'bell\u0007', long].join('\n');
    const { lines } = await readLastLines(server({ current: text }).read, problem('NotReady'), options);
    expect(lines).toEqual(['3', 'red', 'to https://[redacted]@host', 'bell\uFFFD', 'x'.repeat(240)]);
  });
});

test('a sentence gets the lines that it does not contain already', () => {
  expect(withLastLines('it crashes', { lines: ['one', 'two'] })).toBe('it crashes. Its last lines: one | two');
  expect(withLastLines('it crashes: no such file', { lines: ['no such file'] })).toBe('it crashes: no such file');
  expect(withLastLines('it crashes', { lines: [] })).toBe('it crashes');
});

test('a sentence without lines says why they cannot be read', () => {
  const sentence = withLastLines('it crashes', { lines: [], refusal: 'jane cannot get pods/log' });
  expect(sentence).toBe('it crashes. Its log cannot be read: jane cannot get pods/log');
});
