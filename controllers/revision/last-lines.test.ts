import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { PodProblem } from '../../apply/explain-pods.ts';
import { readLastLines, withLastLines } from './last-lines.ts';

const problem = (kind: PodProblem['kind']): PodProblem => ({
  kind,
  blame: 'version',
  pod: 'p-1',
  container: 'manager',
  message: 'it fails',
});
const options = { namespace: 'ops', signal: new AbortController().signal };

/** A server that has these texts, by whether they are of the previous run; notes what it is asked for. */
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
  test('of a container that crashes are those of the run that crashed', async () => {
    const { read, asked } = server({ previous: 'a\nb\n', current: 'starting\n' });
    expect(await readLastLines(read, problem('CrashLooping'), options)).toEqual({ lines: ['a', 'b'] });
    expect(asked[0]?.pathname).toBe('/api/v1/namespaces/ops/pods/p-1/log');
    expect(asked[0]?.searchParams.get('container')).toBe('manager');
  });

  test('are never what the kubelet says instead of a log that is gone', async () => {
    const gone = 'unable to retrieve container logs for containerd://6d47';
    const { read } = server({ previous: gone, current: 'cannot open the table\n' });
    expect(await readLastLines(read, problem('CrashLooping'), options)).toEqual({ lines: ['cannot open the table'] });
    expect(
      await readLastLines(server({ previous: gone, current: gone }).read, problem('CrashLooping'), options),
    ).toEqual({ lines: [] });
  });

  test('of its only run, where it has not been started again yet', async () => {
    const { read } = server({ current: 'fatal\n' });
    expect(await readLastLines(read, problem('CrashLooping'), options)).toEqual({ lines: ['fatal'] });
  });

  test('of one that is not ready are those of now', async () => {
    const { read, asked } = server({ previous: 'old', current: 'waiting for a lock' });
    expect(await readLastLines(read, problem('NotReady'), options)).toEqual({ lines: ['waiting for a lock'] });
    expect(asked).toHaveLength(1);
  });

  test.each(['ImagePull', 'Quota', 'Unschedulable', 'BadConfiguration'] as const)(
    'are not asked for where nothing has run: %s',
    async (kind) => {
      const { read, asked } = server({ current: 'x' });
      expect(await readLastLines(read, problem(kind), options)).toEqual({ lines: [] });
      expect(asked).toEqual([]);
    },
  );

  test('are none where they cannot be had: the rest is told all the same', async () => {
    expect(await readLastLines(server({}).read, problem('NotReady'), options)).toEqual({ lines: [] });
  });

  test.each(['CrashLooping', 'NotReady'] as const)(
    'are none where the account may not read them, and the right that it lacks is told: %s',
    async (kind) => {
      const said = 'pods "p-1" is forbidden: User "jane" cannot get resource "pods/log"';
      const message = `GET /api/v1/namespaces/ops/pods/p-1/log?tailLines=5: ${said}`;
      const read = (): Promise<string> =>
        Promise.reject(new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message }));
      expect(await readLastLines(read, problem(kind), options)).toEqual({ lines: [], refusal: said });
    },
  );

  test('are few, short, without colours and without passwords', async () => {
    const long = 'x'.repeat(10_000);
    const text = ['1', '2', '3', `\u001B[31mred\u001B[0m`, 'to https://me:secret@host', 'bell\u0007', long].join('\n');
    const { lines } = await readLastLines(server({ current: text }).read, problem('NotReady'), options);
    expect(lines).toEqual(['3', 'red', 'to https://[redacted]@host', 'bell\uFFFD', 'x'.repeat(240)]);
  });
});

test('a sentence gets the lines that it does not say already', () => {
  expect(withLastLines('it crashes', { lines: ['one', 'two'] })).toBe('it crashes. Its last lines: one | two');
  expect(withLastLines('it crashes: no such file', { lines: ['no such file'] })).toBe('it crashes: no such file');
  expect(withLastLines('it crashes', { lines: [] })).toBe('it crashes');
});

test('a sentence without lines says why they cannot be read', () => {
  const sentence = withLastLines('it crashes', { lines: [], refusal: 'jane cannot get pods/log' });
  expect(sentence).toBe('it crashes. Its log cannot be read: jane cannot get pods/log');
});
