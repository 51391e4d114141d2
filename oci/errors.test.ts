import { describe, expect, test } from 'vitest';
import { answerError, retryAfterSeconds } from './errors.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('Retry-After', () => {
  test.each([
    { header: '5', want: 5, because: 'seconds' },
    { header: ' 30 ', want: 30, because: 'spaces do not count' },
    { header: '0', want: 1, because: 'an immediate retry would be a busy loop' },
    { header: '1000000000', want: 3600, because: 'a wait of thirty years is cut' },
    { header: '9'.repeat(15), want: 3600, because: 'longer waits are cut' },
    { header: 'Thu, 01 Jan 2026 00:01:00 GMT', want: 60, because: 'a date' },
    { header: 'Thu, 01 Jan 2015 00:00:00 GMT', want: 1, because: 'a date that is past' },
    { header: 'Thu, 01 Jan 2099 00:00:00 GMT', want: 3600, because: 'a date too far' },
    { header: '-5', want: undefined, because: 'a negative number is invalid' },
    { header: '1e9', want: undefined, because: 'this is no number' },
    { header: 'soon', want: undefined, because: 'a word is invalid' },
    { header: 'Thursday', want: undefined, because: 'a day is invalid' },
    { header: '', want: undefined, because: 'it is empty' },
    { header: undefined, want: undefined, because: 'it is missing' },
  ])('a Retry-After of $header gives $want, because $because', ({ header, want }) => {
    expect(retryAfterSeconds(header, NOW)).toBe(want);
  });
});

describe('the error of an unsuccessful answer', () => {
  test.each([
    { status: 401, code: 'UNAUTHORIZED', reason: 'RegistryDenied', retry: 'backoff' },
    { status: 403, code: 'DENIED', reason: 'RegistryDenied', retry: 'backoff' },
    { status: 404, code: 'MANIFEST_UNKNOWN', reason: 'ImageNotFound', retry: 'backoff' },
    { status: 410, code: undefined, reason: 'ImageNotFound', retry: 'backoff' },
    { status: 429, code: 'TOOMANYREQUESTS', reason: 'RegistryThrottled', retry: 'backoff' },
    { status: 500, code: undefined, reason: 'RegistryUnavailable', retry: 'backoff' },
    { status: 503, code: undefined, reason: 'RegistryUnavailable', retry: 'backoff' },
    { status: 400, code: 'NAME_INVALID', reason: 'RegistryUnavailable', retry: 'backoff' },
    { status: 418, code: undefined, reason: 'RegistryUnavailable', retry: 'backoff' },
  ])('$status is $reason', ({ status, code, reason, retry }) => {
    expect(answerError('quay.io', 'x', { status, headers: {}, code })).toMatchObject({ reason, retry });
  });

  test.each([
    {
      because: 'docker.io counts by account and address',
      registry: 'docker.io',
      headers: {},
      says: [/growing delays/, /docker\.io limits/, /mirror or cache/],
    },
    {
      because: 'the registry says when',
      registry: 'quay.io',
      headers: { 'retry-after': '7' },
      says: [/at the time that the registry names/, /pull secret/],
    },
  ])('a limit has a reason of its own, with the next attempt and a way out: $because', (one) => {
    const error = answerError(one.registry, 'x', { status: 429, headers: one.headers, code: undefined });
    expect(error.reason).toBe('RegistryThrottled');
    for (const text of one.says) expect(error.hint).toMatch(text);
  });

  test('the message of a limit is the same at every retry, whatever time the registry names', () => {
    const messages = ['7', '3600'].map((seconds) =>
      answerError('quay.io', 'x', { status: 429, headers: { 'retry-after': seconds }, code: undefined }).describe(),
    );
    expect(new Set(messages).size).toBe(1);
  });

  test('a registry with Retry-After is retried at that time', () => {
    const headers = { 'retry-after': '7' };
    expect(answerError('quay.io', 'x', { status: 429, headers, code: undefined }).retry).toEqual({ afterSeconds: 7 });
    expect(answerError('quay.io', 'x', { status: 503, headers, code: undefined }).retry).toEqual({ afterSeconds: 7 });
  });
});
