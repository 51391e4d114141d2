import { ApiError, type Status } from './api-error.ts';
import { describe, expect, test } from 'vitest';
import {
  answerOf,
  isAlreadyExists,
  isConflict,
  isConflictOrReplaced,
  isExpired,
  isForbidden,
  isNotFound,
} from './api-answers.ts';

const QUESTIONS = { isAlreadyExists, isConflict, isConflictOrReplaced, isExpired, isForbidden, isNotFound };

function yes(error: unknown): readonly string[] {
  return Object.entries(QUESTIONS).flatMap(([name, ask]) => (ask(error) ? [name] : []));
}

describe('predicates about errors of the API server', () => {
  const uid = { field: 'metadata.uid' };
  const cases: readonly {
    because: string;
    answer: Omit<Status, 'causes'> & Partial<Status>;
    questions: readonly string[];
  }[] = [
    {
      because: 'the object does not exist',
      answer: { code: 404, reason: 'NotFound' },
      questions: ['isNotFound'],
    },
    { because: 'a right is missing', answer: { code: 403, reason: 'Forbidden' }, questions: ['isForbidden'] },
    {
      because: 'the name is in use',
      answer: { code: 409, reason: 'AlreadyExists' },
      questions: ['isAlreadyExists'],
    },
    {
      because: 'another writer was faster',
      answer: { code: 409, reason: 'Conflict' },
      questions: ['isConflict', 'isConflictOrReplaced'],
    },
    {
      because: 'a proxy may omit the reason',
      answer: { code: 409, reason: '' },
      questions: ['isConflict', 'isConflictOrReplaced'],
    },
    {
      because: 'an object of the name has another uid',
      answer: { code: 422, reason: 'Invalid', causes: [uid] },
      questions: ['isConflictOrReplaced'],
    },
    { because: 'another field is invalid', answer: { code: 422, causes: [{ field: 'spec.x' }] }, questions: [] },
    { because: 'the version is too old', answer: { code: 410, reason: 'Expired' }, questions: ['isExpired'] },
    {
      because: 'a watch reports it in its stream',
      answer: { code: 500, reason: 'Gone' },
      questions: ['isExpired'],
    },
    { because: 'no answer came', answer: { code: 0, reason: '' }, questions: [] },
  ];
  test.each(cases)('an API server error matches $questions: $because', ({ answer, questions }) => {
    expect(yes(new ApiError('get x', { causes: [], ...answer }))).toEqual(questions);
  });
});

test.each([
  { because: 'an error with only a message is no answer', error: new Error('404') },
  { because: 'error codes of Node are texts', error: Object.assign(new Error('x'), { code: 'ENOENT' }) },
  {
    because: 'a registry has status codes too',
    error: Object.assign(new Error('x'), { code: 404, statusReason: 'NotFound' }),
  },
  { because: 'plain data is no error', error: { code: 404 } },
  { because: 'any value may be thrown', error: undefined },
])('an error that is no answer of the API server matches no predicate: $because', ({ error }) => {
  expect([answerOf(error), yes(error)]).toEqual([undefined, []]);
});
