/** Sends one attempt of a request with the credentials of this moment, and resolves with the headers of its answer. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest } from './api-request.ts';
import type { ConnectionConfig } from './config.ts';
import { ConnectionError, sendRequest } from './exchange.ts';
import type { RunningCall, TransportContext } from './running-call.ts';
import { limitTime, type TimeLimit } from './time-limit.ts';

/** @param fresh Whether the token is read again. @throws ConnectionError, the error of the guard, the reason of the signal */
export async function send(
  context: TransportContext,
  { request, deadline, purpose, patienceSeconds }: RunningCall<unknown>,
  fresh: boolean,
): Promise<IncomingMessage> {
  const credentials = await context.config.credentials?.();
  const token = (await context.config.token?.({ fresh })) ?? credentials?.token;
  const headers: OutgoingHttpHeaders = {
    host: context.url.host,
    accept: 'application/json',
    'user-agent': context.userAgent,
    ...(token !== undefined && token !== '' && { authorization: `Bearer ${token}` }),
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(request.body !== undefined && { 'content-length': Buffer.byteLength(request.body) }),
    ...(request.headers?.['impersonate-user'] === undefined && impersonationHeaders(context.config.impersonate)),
    ...(request.headers as OutgoingHttpHeaders | undefined),
  };
  const agent = await context.pool.agent(purpose, credentials);
  const patience = patienceOf(context, deadline.signal, patienceSeconds);
  return sendRequest({
    agent,
    url: context.url,
    method: request.method,
    path: wirePath(context.url, request),
    headers,
    body: request.body,
    signal: patience.signal,
    guard: request.guard,
  }).finally(patience.met);
}

function impersonationHeaders(impersonate: ConnectionConfig['impersonate']): OutgoingHttpHeaders {
  if (impersonate === undefined) return {};
  const { user, uid, groups, extra } = impersonate;
  const extras = Object.entries(extra).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key)}`,
    [...values],
  ]);
  return {
    'impersonate-user': user,
    ...(uid !== '' && { 'impersonate-uid': uid }),
    ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
    ...(Object.fromEntries(extras) as OutgoingHttpHeaders),
  };
}

/** A connection without an answer in time counts as broken. */
function patienceOf(
  { clock, distrust }: TransportContext,
  signal: AbortSignal,
  seconds: number | undefined,
): Pick<TimeLimit, 'signal' | 'met'> {
  if (seconds === undefined) return { signal, met: () => undefined };
  const late = (): ConnectionError => {
    distrust(seconds);
    return new ConnectionError(Object.assign(new Error(`no answer within ${seconds} s`), { code: 'ETIMEDOUT' }), true);
  };
  return limitTime(seconds, { clock, signal, late });
}

function wirePath(url: URL, { path, query = {} }: ApiRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const prefix = url.pathname.replace(/\/$/, '');
  return parameters.size === 0
    ? prefix + path
    : `${prefix}${path}${path.includes('?') ? '&' : '?'}${parameters.toString()}`;
}
