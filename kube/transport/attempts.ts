/** Sends a request until it is answered or given up: renews credentials, and repeats requests that may be repeated. */
import type { IncomingMessage } from 'node:http';
import { ApiError, type Status, unavailable } from '../../api/api-error.ts';
import { sleep } from '../clock.ts';
import { subjectOf, type ApiRequest } from './api-request.ts';
import type { ConnectionConfig } from './config.ts';
import { ConnectionError, readAll } from './exchange.ts';
import { parseStatus } from './parse-status.ts';
import { retryDelay, type AttemptFailure } from './retry-policy.ts';
import type { RunningCall, TransportContext } from './running-call.ts';
import { send } from './send.ts';

const MOST_BODY_BYTES = 256 * 1024 * 1024;

/** @throws RangeError if the body is longer than `mostBytes`, ConnectionError if it breaks off */
export function readBody(response: IncomingMessage, mostBytes = MOST_BODY_BYTES): Promise<Buffer> {
  return readAll(response, mostBytes);
}

/** Whether a request failed because its answer was longer than the longest body that is read. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof RangeError;
}

/** Longer than a busy API server keeps a request in its queues. */
const FIRST_PATIENCE_SECONDS = 20;

/** A repeatable request without an answer is sent once more: the connection may have died silently. */
function patient<Body>(call: RunningCall<Body>, attempts: number): RunningCall<Body> {
  return attempts === 1 && isIdempotent(call.request) ? { ...call, patienceSeconds: FIRST_PATIENCE_SECONDS } : call;
}

function isIdempotent({ idempotent, method }: ApiRequest): boolean {
  return idempotent ?? method !== 'POST';
}

interface ReadResponse<Body> {
  readonly response: IncomingMessage;
  readonly body: Body;
}

/** @throws ApiError once it is given up, the error of its guard, and the reason of its signal */
export async function attemptUntilDone<Body>(
  context: TransportContext,
  call: RunningCall<Body>,
): Promise<ReadResponse<Body>> {
  let renewed = false;
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(context, patient(call, attempts), renewed);
    if (outcome.kind === 'done') return outcome.answer;
    if (!renewed && (await renewTrust(context, outcome))) {
      renewed = true;
      continue;
    }
    const delay = retryDelay(failureOf(outcome), {
      attempts,
      ...(!context.hasAnswered && context.firstAttempts !== undefined && { mostAttempts: context.firstAttempts }),
      idempotent: isIdempotent(call.request),
      leftSeconds: call.deadline.leftSeconds(),
      random: context.random(),
    });
    if (delay === undefined || !(await pause(delay, context, call.deadline.signal)))
      throw errorOf(call.request, outcome);
  }
}

/** Whether the time passed before the transport was closed. @throws the reason of `signal`, if that aborts before */
async function pause(seconds: number, { clock, closed }: TransportContext, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(seconds, { clock, signal: AbortSignal.any([signal, closed]) });
  } catch (error) {
    if (signal.aborted) throw error;
  }
  return !closed.aborted;
}

type AttemptOutcome<Body> =
  | { readonly kind: 'done'; readonly answer: ReadResponse<Body> }
  | { readonly kind: 'refused'; readonly status: Status }
  | { readonly kind: 'broken'; readonly error: ConnectionError };

async function attempt<Body>(
  context: TransportContext,
  call: RunningCall<Body>,
  fresh: boolean,
): Promise<AttemptOutcome<Body>> {
  const startedAt = context.clock.now();
  const report = (status: number): void =>
    context.onRequest?.({
      method: call.request.method,
      path: call.request.path,
      status,
      seconds: context.clock.now() - startedAt,
    });
  try {
    const response = await send(context, call, fresh);
    context.hasAnswered = true;
    const status = response.statusCode ?? 0;
    const body = status < 300 ? await call.read(response) : undefined;
    const refusal = status < 300 ? undefined : (await readBody(response)).toString();
    report(status);
    if (refusal === undefined) return { kind: 'done', answer: { response, body: body as Body } };
    return { kind: 'refused', status: parseStatus(status, refusal, response.headers['retry-after']) };
  } catch (error) {
    if (error instanceof RangeError) throw unavailable(subjectOf(call.request), error.message, error);
    if (!(error instanceof ConnectionError)) throw error;
    if (call.deadline.signal.aborted) throw call.deadline.signal.reason;
    report(0);
    return { kind: 'broken', error };
  }
}

/** After a 401 or an untrusted certificate: whether there is something new to try at once. */
async function renewTrust(
  { config, pool }: TransportContext,
  outcome: Exclude<AttemptOutcome<unknown>, { kind: 'done' }>,
): Promise<boolean> {
  if (outcome.kind === 'refused') return outcome.status.code === 401 && (await renewCredentials(config));
  return isTlsError(outcome.error) && (await pool.refresh());
}

/** Whether the credentials may have changed; the next attempt reads the token again. */
async function renewCredentials({ token, credentials }: ConnectionConfig): Promise<boolean> {
  if (token !== undefined || credentials === undefined) return token !== undefined;
  await credentials({ fresh: true });
  return true;
}

function isTlsError({ code }: ConnectionError): boolean {
  return /CERT|SIGNATURE|^ERR_SSL|^ERR_TLS|ISSUER/.test(code);
}

function failureOf(outcome: Exclude<AttemptOutcome<unknown>, { kind: 'done' }>): AttemptFailure {
  return outcome.kind === 'refused'
    ? { kind: 'answer', status: outcome.status.code, retryAfterSeconds: outcome.status.retryAfterSeconds }
    : { kind: 'connection', sent: outcome.error.sent };
}

function errorOf(request: ApiRequest, outcome: Exclude<AttemptOutcome<unknown>, { kind: 'done' }>): ApiError {
  const subject = subjectOf(request);
  if (outcome.kind === 'refused') return new ApiError(subject, outcome.status);
  return unavailable(subject, describeBreak(outcome.error), outcome.error);
}

/** A stable text for a broken connection. */
function describeBreak(error: ConnectionError): string {
  if (isTlsError(error)) return `the certificate of the API server is not trusted (${error.code})`;
  return `the API server cannot be reached (${error.code || 'connection lost'})`;
}
