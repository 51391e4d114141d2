/**
 * Token services: a challenge and a credential in, a token out. The service's address is the registry's word, so
 * it is not trusted further than the registry is.
 *
 * @see https://distribution.github.io/distribution/spec/auth/token/
 */
import * as z from 'zod';
import type { Reach } from './address.ts';
import { jsonIn } from './bytes.ts';
import type { Challenge } from './challenge.ts';
import type { Credential, CredentialLookup } from './docker-config.ts';
import { answerError, denied, unavailable } from './errors.ts';
import { readBody } from './http-body.ts';
import type { HttpResponse, HttpTransport } from './transport.ts';

/** The rights that a request needs. */
export interface AuthTarget {
  readonly registry: string;
  readonly repository: string;
  /** `repository:org/app:pull`, sorted. */
  readonly scopes: readonly string[];
  /** The address of the registry; decides whether plain HTTP and private token services are acceptable. */
  readonly base: URL;
  /** PEM certificates trusted for the registry and its token service, in addition to those of the transport. */
  readonly ca?: string;
}

export interface AuthOptions {
  readonly transport: HttpTransport;
  readonly credentials: CredentialLookup;
  readonly now: () => number;
}

/** A token with the end of its life. */
export interface Token {
  readonly value: string;
  readonly expiresAtMs: number;
}

const CLIENT_ID = 'slipway';
const MAX_ANSWER_BYTES = 128 << 10;
const MAX_TOKEN = 64 << 10;
/** Tokens are renewed this long before they end. */
const SKEW_SECONDS = 10;

/** The reference reads null and an empty text as absent. */
const TokenAnswer = z.object({
  token: z.string().nullish(),
  access_token: z.string().nullish(),
  expires_in: z.number().nullish(),
});

/** The target of a token request. */
export interface TokenRequest {
  readonly target: AuthTarget;
  readonly challenge: Challenge;
  readonly credential: Credential | undefined;
  /** The reach of the registry, by the address that its refusal came from. */
  readonly from: Reach;
}

/**
 * Asks the token service: GET with Basic, or POST with a refresh token. Scopes are our own; the challenge cannot
 * widen them. Redirects are not followed.
 *
 * @see https://distribution.github.io/distribution/spec/auth/token/
 */
export async function fetchToken(request: TokenRequest, options: AuthOptions): Promise<Token> {
  const { target, credential } = request;
  const realm = parseRealm(request);
  const response = await options.transport.send({
    ...(credential?.kind === 'identityToken'
      ? refreshRequest(realm, request, credential.token)
      : passwordRequest(realm, request)),
    ...reachLimit(request, realm),
    ...(target.ca !== undefined && { ca: target.ca }),
  });
  if (response.status !== 200) {
    await response.discard();
    throw refusal(target, response);
  }
  const body = await readBody(response, MAX_ANSWER_BYTES, () => badAnswer(target, 'is too large'));
  return parseToken(target, body, options.now());
}

function refusal(target: AuthTarget, { status, headers }: HttpResponse) {
  const what = `the token request for ${target.repository}`;
  if (status >= 300 && status < 400) return badAnswer(target, 'is a redirect');
  if (status === 400 || status === 404 || status === 405) return deniedBy(target, `gives no token (${status})`);
  return answerError(target.registry, what, { status, headers, code: undefined });
}

function parseRealm({ target, challenge }: TokenRequest): URL {
  const text = challenge.parameters.get('realm') ?? '';
  const realm = URL.canParse(text) ? new URL(text) : undefined;
  const plain = target.base.protocol === 'http:';
  if (realm === undefined || !(realm.protocol === 'https:' || (plain && realm.protocol === 'http:'))) {
    throw badAnswer(target, 'has an address that is not https');
  }
  if (realm.username !== '' || realm.password !== '') throw badAnswer(target, 'has an address with a password');
  return realm;
}

function reachLimit({ target, from }: TokenRequest, realm: URL): { readonly pointedToFrom?: Reach } {
  return realm.host === target.base.host ? {} : { pointedToFrom: from };
}

function passwordRequest(realm: URL, { target, challenge, credential }: TokenRequest) {
  const url = new URL(realm);
  const service = challenge.parameters.get('service');
  if (service !== undefined) url.searchParams.set('service', service);
  for (const scope of target.scopes) url.searchParams.append('scope', scope);
  if (credential?.kind !== 'basic') return { method: 'GET', url };
  url.searchParams.set('account', credential.username);
  return { method: 'GET', url, headers: { authorization: basic(credential) } };
}

function refreshRequest(url: URL, { target, challenge }: TokenRequest, refreshToken: string) {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    service: challenge.parameters.get('service') ?? '',
    scope: target.scopes.join(' '),
    client_id: CLIENT_ID,
    refresh_token: refreshToken,
  });
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(form.toString()),
  };
}

function parseToken(target: AuthTarget, body: Buffer, nowMs: number): Token {
  const answer = TokenAnswer.safeParse(jsonIn(body));
  const value = answer.success ? answer.data.token || answer.data.access_token || '' : '';
  if (!/^[\x21-\x7e]+$/.test(value) || value.length > MAX_TOKEN) throw badAnswer(target, 'holds no usable token');
  const seconds = Math.min(Math.max(answer.data?.expires_in ?? 60, 60), 3600);
  return { value, expiresAtMs: nowMs + (seconds - SKEW_SECONDS) * 1000 };
}

function badAnswer({ registry }: AuthTarget, why: string) {
  return unavailable(`the token service of registry ${registry} cannot be used: it ${why}`);
}

/** The header that proves user and password. */
export function basic({ username, password }: Credential & { kind: 'basic' }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The refusal, with the rights that the registry demanded. */
export function deniedBy({ registry, repository }: AuthTarget, why: string) {
  return denied(`registry ${registry} ${why} for ${repository}`, 'Name a pull secret with access to this repository');
}
