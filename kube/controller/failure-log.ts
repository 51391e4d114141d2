/**
 * Logs failures of reconciles: once for each object until the failure changes or the object succeeds, since a retry
 * adds no information. A failure with a reason is a warning in one sentence, since a person or another system can fix
 * it; one without a reason is a defect, and an error with its stack.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Log } from '../log.ts';

export interface FailureLog {
  /** @param facts Further fields of the line: number of retries, and time of the next. */
  failed(log: Log, key: string, failure: { readonly error: unknown; readonly facts: object }): void;
  succeeded(key: string): void;
}

/** Remembers only objects that currently fail. */
export function createFailureLog(): FailureLog {
  const last = new Map<string, string>();
  return {
    failed(log, key, { error, facts }) {
      const sentence = sentenceOf(error);
      const isKnown = last.get(key) === sentence;
      last.set(key, sentence);
      if (isKnown) return log.debug({ ...facts, error: sentence }, 'reconcile failed again');
      if (isReasoned(error)) log.warn({ ...facts, reason: error.reason, error: sentence }, 'reconcile failed');
      else log.error({ ...facts, err: error }, 'reconcile failed');
    },
    succeeded: (key) => void last.delete(key),
  };
}

function isReasoned(error: unknown): error is ReasonedError {
  return error instanceof ReasonedError && error.reason !== 'InternalError';
}

function sentenceOf(error: unknown): string {
  return error instanceof ReasonedError ? error.describe() : String(error);
}
