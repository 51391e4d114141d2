/** The errors of this folder, each made in one place so that one failure has one reason and one retry policy. */
import type { IncomingHttpHeaders } from 'node:http';
import { ReasonedError, type Retry } from '../api/errors.ts';

/** Delay before content that was bad under a tag is pulled again. */
export const LATER: Retry = { afterSeconds: 300 };
const MAX_RETRY_AFTER_SECONDS = 3600;

/** The registry cannot be reached or misbehaves; retried with growing delays, or when it says so. */
export function unavailable(message: string, options: { cause?: unknown; afterSeconds?: number; hint?: string } = {}) {
  const { cause, afterSeconds, hint } = options;
  return new ReasonedError({
    reason: 'RegistryUnavailable',
    retry: afterSeconds === undefined ? 'backoff' : { afterSeconds },
    message,
    ...(hint !== undefined && { hint }),
    cause,
  });
}

/** A pull that did not end in its time. */
export interface SlowPull {
  /** The repository whose answer was awaited. */
  readonly name: string;
  readonly seconds: number;
  /** Bytes of the blobs that were asked for, and those of them that arrived. */
  readonly asked: number;
  readonly arrived: number;
}

/**
 * A pull did not end in its time; retried after some minutes, so that a slow registry does not keep a worker all the
 * time. The share that arrived is rounded, so that the message is the same at every retry.
 */
export function pullTooSlow({ name, seconds, asked, arrived }: SlowPull) {
  const tenths = asked === 0 ? 0 : Math.min(9, Math.round((10 * arrived) / asked));
  const share = tenths === 0 ? 'less than 10 %' : `about ${tenths}0 %`;
  const arrival = asked === 0 ? 'no layer was reached' : `${share} of ${describeSize(asked)} arrived`;
  return new ReasonedError({
    reason: 'RegistryUnavailable',
    retry: LATER,
    message: `the pull of ${name} takes longer than ${seconds} seconds: ${arrival}`,
    hint: 'Check the registry and the network to it; if they are slow, raise --pull-timeout of the manager',
  });
}

function describeSize(bytes: number): string {
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / (1 << 20))} MiB`;
}

/** The registry refuses; retried with growing delays, since a Secret or a right can appear. */
export function denied(message: string, hint: string) {
  return new ReasonedError({ reason: 'RegistryDenied', retry: 'backoff', message, hint });
}

/**
 * Content that differs from its digest or declared size; retried with growing delays, since it may have been altered
 * on its way only.
 */
export function mismatch(message: string) {
  return new ReasonedError({
    reason: 'DigestMismatch',
    retry: 'backoff',
    message,
    hint: 'The registry, or something between it and here, serves altered content; do not use it',
  });
}

/** The image is malformed or not of the kind expected. */
export function imageInvalid(message: string, byDigest: boolean, hint?: string) {
  return new ReasonedError({
    reason: 'ImageInvalid',
    retry: byDigest ? 'never' : LATER,
    message,
    ...(hint !== undefined && { hint }),
  });
}

/** The image exceeds a limit on size, count or ratio. */
export function imageTooLarge(message: string, byDigest: boolean, hint = SMALLER_IMAGE) {
  return new ReasonedError({ reason: 'ImageTooLarge', retry: byDigest ? 'never' : LATER, message, hint });
}

/** A list of a registry, of tags or referrers, exceeds a limit. */
export function listTooLong(message: string) {
  return imageTooLarge(message, false, SHORTER_LIST);
}

const FIRM = 'The limit protects the manager and cannot be raised';
const SMALLER_IMAGE = `${FIRM}: ask the author of the image to publish a smaller one`;
const SHORTER_LIST = `${FIRM}: ask the owner of the repository to delete entries that are of no use`;

/** The pages of a list lead back to one that was read. */
export function endlessList(what: string) {
  return unavailable(`the registry returns the same page of ${what} again, so the list has no end`);
}

/** The time itself would make each message another one. */
const AGAIN_WHEN_ASKED = 'The request is repeated at the time that the registry names';
const AGAIN_LATER = 'The request is repeated with growing delays';
const HIGHER_LIMIT = 'a pull secret often has a higher limit than anonymous access';
/** Docker Hub counts pulls without an account by the address that they come from, which nodes and others share. */
const DOCKER_LIMIT =
  'docker.io limits pulls by the account, and without one by the address: use a pull secret for docker.io, or a mirror or cache of it (RegistryPolicy)';

export interface FailedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Code of the specification's error list, such as `MANIFEST_UNKNOWN`. */
  readonly code: string | undefined;
}

/**
 * The error for an unsuccessful answer; `what` names the request: `the manifest of quay.io/org/app:v1`.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#error-codes
 */
export function answerError(registry: string, what: string, { status, headers, code }: FailedAnswer): ReasonedError {
  const answer = `registry ${registry} answers ${status}${code === undefined ? '' : ` ${code}`} to ${what}`;
  const afterSeconds = retryAfterSeconds(headers['retry-after'], Date.now());
  if (status === 429 || code === 'TOOMANYREQUESTS') {
    return new ReasonedError({
      reason: 'RegistryThrottled',
      retry: afterSeconds === undefined ? 'backoff' : { afterSeconds },
      message: answer,
      hint: `${afterSeconds === undefined ? AGAIN_LATER : AGAIN_WHEN_ASKED}; ${registry === 'docker.io' ? DOCKER_LIMIT : HIGHER_LIMIT}`,
    });
  }
  if (status === 401 || status === 403) {
    return denied(answer, 'Check that the pull secret exists, is for this registry, and may read this repository');
  }
  if (status === 404 || status === 410) {
    return new ReasonedError({
      reason: 'ImageNotFound',
      retry: 'backoff',
      message: answer,
      hint: 'Check the name; a private repository can also look as if it did not exist',
    });
  }
  return unavailable(answer, { cause: { status }, ...(afterSeconds !== undefined && { afterSeconds }) });
}

/** Whether a registry, or a proxy before it, has answered that it has no time now. */
export function isBusy(error: unknown): error is ReasonedError {
  if (!(error instanceof ReasonedError)) return false;
  if (error.reason === 'RegistryThrottled') return true;
  const { status } = (error.cause ?? {}) as Partial<FailedAnswer>;
  return error.reason === 'RegistryUnavailable' && status !== undefined && BUSY.has(status);
}

const BUSY: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Seconds to wait by a `Retry-After` header (seconds or an HTTP date), between 1 and one hour; undefined if it
 * says nothing usable.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const seconds = /^\d{1,15}$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  return seconds === undefined ? undefined : Math.min(Math.max(Math.ceil(seconds), 1), MAX_RETRY_AFTER_SECONDS);
}

function secondsUntil(date: string, nowMs: number): number | undefined {
  if (!/^[A-Z][a-z]+,? /.test(date)) return undefined;
  const at = Date.parse(date);
  return Number.isNaN(at) ? undefined : (at - nowMs) / 1000;
}
