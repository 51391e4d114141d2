import { expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { createFailureLog } from './failure-log.ts';
import { silentLog, type Log } from '../log.ts';

/** Log lines as `level message`, and the fields of the last one. */
function remembering(): { readonly log: Log; readonly lines: string[]; readonly fields: () => object } {
  const lines: string[] = [];
  let last: object = {};
  const at =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push(`${level} ${message}`);
      last = fields;
    };
  const log = { ...silentLog, debug: at('debug'), warn: at('warn'), error: at('error') };
  return { log, lines, fields: () => last };
}

const missing = new ReasonedError({ reason: 'PackageNotFound', retry: 'backoff', message: 'no x', hint: 'Ask for y' });
const denied = new ReasonedError({ reason: 'RegistryDenied', retry: 'backoff', message: 'no x' });

test.each([
  { because: 'a person can fix it', error: missing, level: 'warn' },
  { because: 'it has no reason', error: new TypeError('x is not a function'), level: 'error' },
  {
    because: 'the reason marks it as a defect',
    error: new ReasonedError({ reason: 'InternalError', retry: 'backoff', message: 'x' }),
    level: 'error',
  },
])('a failure is logged as $level: $because', ({ error, level }) => {
  const { log, lines, fields } = remembering();
  createFailureLog().failed(log, 'a/b', { error, facts: { retries: 0 } });
  expect(lines).toEqual([`${level} reconcile failed`]);
  expect('err' in fields()).toBe(level === 'error');
});

test('a failure is one sentence with its reason and the next step', () => {
  const { log, fields } = remembering();
  createFailureLog().failed(log, 'a/b', { error: missing, facts: { retries: 3 } });
  expect(fields()).toEqual({ retries: 3, reason: 'PackageNotFound', error: 'no x. Ask for y' });
});

test('a failure is logged again if it differs, is of another object, or follows a success', () => {
  const { log, lines } = remembering();
  const failures = createFailureLog();
  const fail = (key: string, error: unknown): void => failures.failed(log, key, { error, facts: {} });
  fail('a/b', missing);
  fail('a/b', missing);
  fail('a/c', missing);
  fail('a/b', denied);
  failures.succeeded('a/b');
  fail('a/b', denied);
  const [first, again] = ['warn reconcile failed', 'debug reconcile failed again'];
  expect(lines).toEqual([first, again, first, first, first]);
});
