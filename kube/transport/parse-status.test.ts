import { describe, expect, test } from 'vitest';
import { isAlreadyExists, isConflict, isExpired, isNotFound } from '../../api/api-answers.ts';
import { ApiError } from '../../api/api-error.ts';
import { parseStatus } from './parse-status.ts';
import { jittered, retryDelay } from './retry-policy.ts';

const status = (body: object): string => JSON.stringify({ kind: 'Status', apiVersion: 'v1', ...body });

const CASES = [
  { code: 401, body: {}, reason: 'Forbidden', retry: 'backoff', because: 'credentials may be renewed' },
  {
    code: 403,
    body: { reason: 'Forbidden' },
    reason: 'Forbidden',
    retry: 'backoff',
    because: 'rights may be granted without notice to us',
  },
  {
    code: 403,
    body: { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } },
    reason: 'NamespaceTerminating',
    retry: 'backoff',
    because: 'the refusal is not about rights',
  },
  {
    code: 404,
    body: { reason: 'NotFound' },
    reason: 'ApplyFailed',
    retry: 'backoff',
    because: 'the namespace or kind may be created',
  },
  {
    code: 409,
    body: { reason: 'Conflict' },
    reason: 'Conflict',
    retry: 'backoff',
    because: 'after a fresh read the write may succeed',
  },
  {
    code: 409,
    body: { reason: 'Conflict', details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.replicas' }] } },
    reason: 'Collision',
    retry: 'backoff',
    because: 'another manager owns the field',
  },
  {
    code: 422,
    body: { reason: 'Invalid' },
    reason: 'ObjectInvalid',
    retry: 'never',
    because: 'the same object stays invalid',
  },
  {
    code: 400,
    body: { message: 'admission webhook "x" denied the request: no' },
    reason: 'ObjectInvalid',
    retry: 'backoff',
    because: 'policies change',
  },
  {
    code: 422,
    body: {
      reason: 'Invalid',
      message: `revisions.slipway.dev "x" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'all' denied request: no`,
    },
    reason: 'ObjectInvalid',
    retry: 'backoff',
    because: 'policies change',
  },
  {
    code: 405,
    body: { reason: 'MethodNotAllowed', message: 'create not allowed while custom resource definition is terminating' },
    reason: 'ObjectInvalid',
    retry: 'backoff',
    because: 'the CRD may be there again',
  },
  {
    code: 500,
    body: { message: 'Internal error occurred: failed calling webhook "x"' },
    reason: 'ApplyFailed',
    retry: 'backoff',
    because: 'the webhook is broken, not the API server',
  },
  { code: 500, body: {}, reason: 'ApiUnavailable', retry: 'backoff', because: 'the server has a problem' },
  {
    code: 429,
    body: { details: { retryAfterSeconds: 7 } },
    reason: 'ApiUnavailable',
    retry: { afterSeconds: 7 },
    because: 'the server sends the delay',
  },
];

function error(code: number, reason: string): ApiError {
  return new ApiError('x', parseStatus(code, status({ reason })));
}

describe('a Status becomes an error', () => {
  test.each(CASES)('code $code is $reason: $because', ({ code, body, reason, retry }) => {
    expect(new ApiError('apply x', parseStatus(code, status(body)))).toMatchObject({ reason, retry, code });
  });

  test.each([
    { text: '', because: 'a proxy may send an empty body' },
    { text: '<html>\n<body>Bad Gateway', because: 'a proxy may answer for the server' },
    {
      text: '{"kind":"Status","message":["x"],"details":{"causes":{"a":1},"retryAfterSeconds":"soon"}}',
      because: 'fields may have any type',
    },
    { text: '[[[[', because: 'the body may be cut off' },
    { text: 'null', because: 'the body may be any JSON' },
  ])('the HTTP status decides, whatever the body is: $because', ({ text }) => {
    expect(new ApiError('x', parseStatus(503, text))).toMatchObject({
      reason: 'ApiUnavailable',
      code: 503,
      retry: 'backoff',
    });
  });

  test('messages contain no secrets or control characters', () => {
    const error = new ApiError('x', parseStatus(500, 'Authorization: Bearer abc.def\u001B[31m'));
    expect(error.message).not.toMatch(/abc|\u001B/);
  });

  test.each([
    { header: '1000000000', seconds: undefined },
    { header: '86400', seconds: 60 },
    { header: '-5', seconds: undefined },
    { header: 'Wed, 21 Oct 2026 07:28:00 GMT', seconds: undefined },
    { header: '2', seconds: 2 },
  ])('Retry-After $header is believed as $seconds', ({ header, seconds }) => {
    expect(parseStatus(429, '', header).retryAfterSeconds).toBe(seconds);
  });

  test('predicates about errors use code and reason', () => {
    expect(isNotFound(error(404, 'NotFound'))).toBe(true);
    expect(isAlreadyExists(error(409, 'AlreadyExists'))).toBe(true);
    expect(isConflict(error(409, 'AlreadyExists'))).toBe(false);
    expect(isConflict(error(409, 'Conflict'))).toBe(true);
    expect(isExpired(error(410, 'Expired'))).toBe(true);
    expect([isNotFound, isAlreadyExists, isConflict, isExpired].some((ask) => ask(new Error('404')))).toBe(false);
  });
});

describe('repeating a request', () => {
  const facts = { attempts: 1, idempotent: true, leftSeconds: 60, random: 0 };

  test('a request that may have arrived is repeated only if it is idempotent', () => {
    expect(retryDelay({ kind: 'connection', sent: true }, { ...facts, idempotent: false })).toBeUndefined();
    expect(retryDelay({ kind: 'connection', sent: false }, { ...facts, idempotent: false })).toBeGreaterThan(0);
    expect(retryDelay({ kind: 'connection', sent: true }, facts)).toBeGreaterThan(0);
  });

  test('delays grow, never exceed the deadline, and end', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((attempts) =>
      retryDelay({ kind: 'connection', sent: true }, { ...facts, attempts }),
    );
    expect(delays.slice(0, 5).every((delay, i) => i === 0 || (delay as number) >= (delays[i - 1] as number))).toBe(
      true,
    );
    expect(delays[5]).toBeUndefined();
    expect(retryDelay({ kind: 'connection', sent: true }, { ...facts, leftSeconds: 0.01 })).toBeUndefined();
  });

  test('a refusal without a retry hint is final', () => {
    expect(retryDelay({ kind: 'answer', status: 503, retryAfterSeconds: undefined }, facts)).toBeUndefined();
    expect(retryDelay({ kind: 'answer', status: 403, retryAfterSeconds: 1 }, facts)).toBeUndefined();
    expect(retryDelay({ kind: 'answer', status: 503, retryAfterSeconds: 2 }, facts)).toBe(2);
  });

  test('jitter keeps at least half of a delay', () => {
    expect([jittered(10, 0), jittered(10, 1)]).toEqual([5, 10]);
  });
});

describe('the hint about a field that cannot be changed', () => {
  const immutable = (field: string): object => ({
    reason: 'FieldValueInvalid',
    message: 'Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
    field,
  });
  const hintOf = (causes: readonly object[]): string | undefined => {
    const message = 'Deployment.apps "gadget" is invalid';
    const body = { kind: 'Status', status: 'Failure', message, reason: 'Invalid', details: { causes }, code: 422 };
    return new ApiError('Deployment ops/gadget', parseStatus(422, JSON.stringify(body))).hint;
  };

  test.each([
    { causes: [immutable('spec.selector')], names: 'spec.selector', because: 'one field is' },
    {
      causes: [immutable('roleRef'), immutable('roleRef'), immutable('type')],
      names: 'roleRef and type',
      because: 'each field is named once',
    },
  ])('names $names: $because', ({ causes, names }) => {
    expect(hintOf(causes)).toContain(`${names} cannot be changed while the object exists`);
  });

  test('is absent for other faults of fields', () => {
    expect(hintOf([{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.a' }])).toBeUndefined();
  });
});
