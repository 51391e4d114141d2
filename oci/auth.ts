/**
 * Turns a registry's challenge and a credential into an `Authorization` header, and remembers tokens by exactly
 * what they were issued for. A token for one repository is never sent for another. session.ts is the caller.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { lookupReach, type Reach } from './address.ts';
import { type Challenge, parseChallenges } from './challenge.ts';
import type { Credential, CredentialLookup } from './docker-config.ts';
import { answerError, denied, unavailable } from './errors.ts';
import { type HttpResponse, readBody, type Transport } from './transport.ts';

/** What a request needs rights for. */
export interface AuthTarget {
  readonly registry: string;
  readonly repository: string;
  /** `repository:org/app:pull`, sorted. */
  readonly scopes: readonly string[];
  /** Where the registry answers; decides whether plain HTTP and private token services are acceptable. */
  readonly base: URL;
}

export interface Authenticator {
  /** The header to try first: what worked before for the same target, or nothing. */
  header(target: AuthTarget): Promise<string | undefined>;
  /**
   * A header for a target whose request was refused with 401 or 403. A token that was just refused is not used
   * again; one that somebody else got meanwhile is.
   * @throws RegistryDenied, RegistryUnavailable, RegistryThrottled
   */
  renew(target: AuthTarget, refusal: Refusal, signal?: AbortSignal): Promise<string>;
}

export interface Refusal {
  /** `WWW-Authenticate` of the answer. */
  readonly challenge: string | undefined;
  /** The header that was refused. */
  readonly header: string | undefined;
}

export interface AuthOptions {
  readonly transport: Transport;
  readonly credentials: CredentialLookup;
  /** Whether token services in private networks are acceptable whatever the registry is. */
  readonly allowPrivate: boolean;
  readonly now: () => number;
}

const CLIENT_ID = 'slipway';
const MAX_ANSWER_BYTES = 128 << 10;
const MAX_TOKEN = 64 << 10;
const MAX_TOKENS = 1000;
/** Tokens are renewed this long before they end. */
const SKEW_SECONDS = 10;

/** An authenticator with an empty memory. */
export function createAuthenticator(options: AuthOptions): Authenticator {
  const memory = createMemory(options.now);
  return {
    async header(target) {
      const challenge = memory.challenge(target);
      const credential = await options.credentials(target.registry, target.repository);
      if (credential?.kind === 'registryToken') return bearer(credential.token);
      if (challenge === undefined) return undefined;
      if (challenge.scheme === 'basic') return credential?.kind === 'basic' ? basic(credential) : undefined;
      const token = memory.token(tokenKey(target, challenge, credential));
      return token === undefined ? undefined : bearer(token);
    },
    async renew(target, refusal, signal) {
      const challenge = pickChallenge(parseChallenges(refusal.challenge)) ?? memory.challenge(target);
      if (challenge === undefined) throw deniedBy(target, 'does not say how to authenticate');
      const credential = await options.credentials(target.registry, target.repository);
      if (credential?.kind === 'registryToken') throw deniedBy(target, 'refuses the token of the pull secret');
      memory.rememberChallenge(target, challenge);
      if (challenge.scheme === 'basic') return basicHeader(target, credential);
      const key = tokenKey(target, challenge, credential);
      const known = memory.token(key);
      if (known !== undefined && bearer(known) !== refusal.header) return bearer(known);
      memory.forget(key);
      const token = await memory.issue(key, () => fetchToken({ target, challenge, credential }, options, signal));
      return bearer(token);
    },
  };
}

function basicHeader(target: AuthTarget, credential: Credential | undefined): string {
  if (credential === undefined) throw deniedBy(target, 'asks for a user and a password');
  if (credential.kind !== 'basic') throw deniedBy(target, 'asks for a password, and the pull secret has a token only');
  return basic(credential);
}

function bearer(token: string): string {
  return `Bearer ${token}`;
}

function basic({ username, password }: Credential & { kind: 'basic' }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function pickChallenge(challenges: readonly Challenge[]): Challenge | undefined {
  return challenges.find(({ scheme }) => scheme === 'bearer') ?? challenges.find(({ scheme }) => scheme === 'basic');
}

function deniedBy({ registry, repository }: AuthTarget, why: string) {
  return denied(`registry ${registry} ${why} for ${repository}`, 'Name a pull secret with access to this repository');
}

// ---- memory ----

interface Token {
  readonly value: string;
  readonly expiresAtMs: number;
}

interface Memory {
  challenge(target: AuthTarget): Challenge | undefined;
  rememberChallenge(target: AuthTarget, challenge: Challenge): void;
  token(key: string): string | undefined;
  forget(key: string): void;
  /** Runs `fetch` once for all who ask for the same key at the same time. */
  issue(key: string, fetch: () => Promise<Token>): Promise<string>;
}

function createMemory(now: () => number): Memory {
  const challenges = new Map<string, Challenge>();
  const tokens = new Map<string, Token>();
  const pending = new Map<string, Promise<Token>>();
  return {
    challenge: (target) => challenges.get(place(target)),
    rememberChallenge: (target, challenge) => setBounded(challenges, place(target), challenge),
    token(key) {
      const token = tokens.get(key);
      return token === undefined || token.expiresAtMs <= now() ? undefined : token.value;
    },
    forget: (key) => void tokens.delete(key),
    async issue(key, fetch) {
      const running = pending.get(key) ?? fetch().finally(() => pending.delete(key));
      pending.set(key, running);
      const token = await running;
      setBounded(tokens, key, token);
      return token.value;
    },
  };
}

function place({ registry, repository }: AuthTarget): string {
  return `${registry}/${repository}`;
}

function setBounded<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_TOKENS && oldest !== undefined) map.delete(oldest);
}

/** A token belongs to the registry, the service that issued it, its scopes and the credential it was issued for. */
function tokenKey(target: AuthTarget, { parameters }: Challenge, credential: Credential | undefined): string {
  const who = createHash('sha256')
    .update(JSON.stringify(credential ?? null))
    .digest('base64');
  return JSON.stringify([target.registry, parameters.get('realm'), parameters.get('service'), target.scopes, who]);
}

// ---- token service ----

const TokenAnswer = z.object({
  token: z.string().optional(),
  access_token: z.string().optional(),
  expires_in: z.number().optional(),
});

interface TokenRequest {
  readonly target: AuthTarget;
  readonly challenge: Challenge;
  readonly credential: Credential | undefined;
}

/**
 * Asks the token service: GET with Basic, or POST with a refresh token. Scopes are our own; the challenge cannot
 * widen them. Redirects are not followed.
 *
 * @see https://distribution.github.io/distribution/spec/auth/token/
 */
async function fetchToken(request: TokenRequest, options: AuthOptions, signal?: AbortSignal): Promise<Token> {
  const { target, credential } = request;
  const realm = parseRealm(request);
  const response = await options.transport.send({
    ...(credential?.kind === 'identityToken'
      ? refreshRequest(realm, request, credential.token)
      : passwordRequest(realm, request)),
    ...(await reachLimit(target, realm, options)),
    ...(signal !== undefined && { signal }),
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

async function reachLimit(
  target: AuthTarget,
  realm: URL,
  { allowPrivate }: AuthOptions,
): Promise<{ pointedToFrom?: Reach }> {
  if (allowPrivate || realm.host === target.base.host) return {};
  return { pointedToFrom: await lookupReach(target.base.hostname) };
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
  const answer = TokenAnswer.safeParse(parseJson(body));
  const value = answer.success ? (answer.data.token ?? answer.data.access_token ?? '') : '';
  if (!/^[\x21-\x7e]+$/.test(value) || value.length > MAX_TOKEN) throw badAnswer(target, 'holds no usable token');
  const seconds = Math.min(Math.max(answer.data?.expires_in ?? 60, 60), 3600);
  return { value, expiresAtMs: nowMs + (seconds - SKEW_SECONDS) * 1000 };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function badAnswer({ registry }: AuthTarget, why: string) {
  return unavailable(`the token service of registry ${registry} cannot be used: it ${why}`);
}
