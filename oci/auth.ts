/**
 * Turns the challenge of a registry and a credential into an `Authorization` header, and remembers tokens by exactly
 * the scope that they were issued for. A token for one repository is never sent for another. session.ts calls it.
 */
import { createHash } from 'node:crypto';
import { untilAborted } from '../api/until-aborted.ts';
import type { Reach } from './address.ts';
import { type Challenge, parseChallenges } from './challenge.ts';
import type { Credential } from './docker-config.ts';
import { type AuthOptions, type AuthTarget, basic, deniedBy, fetchToken, type Token } from './token-service.ts';

const MAX_TOKENS = 1000;

export interface Authenticator {
  /** The header to try first: the one that worked before for the same target, if any. */
  header(target: AuthTarget): Promise<string | undefined>;
  /**
   * A header for a target whose request was refused with 401 or 403. It does not use a token again that was just
   * refused, but may use one that another request has obtained since.
   * @throws RegistryDenied, RegistryUnavailable, RegistryThrottled
   */
  renew(target: AuthTarget, refusal: AuthRefusal, signal?: AbortSignal): Promise<string>;
}

export interface AuthRefusal {
  /** `WWW-Authenticate` of the answer. */
  readonly challenge: string | undefined;
  /** The header that was refused. */
  readonly header: string | undefined;
  /** The reach of the registry, by the address that the answer came from. */
  readonly from: Reach;
}

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
      const issue = (): Promise<string> =>
        memory.issue(key, () => fetchToken({ target, challenge, credential, from: refusal.from }, options));
      // Others wait for the same token.
      const token = await untilAborted(issue, signal);
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

function pickChallenge(challenges: readonly Challenge[]): Challenge | undefined {
  return challenges.find(({ scheme }) => scheme === 'bearer') ?? challenges.find(({ scheme }) => scheme === 'basic');
}

interface Memory {
  challenge(target: AuthTarget): Challenge | undefined;
  rememberChallenge(target: AuthTarget, challenge: Challenge): void;
  token(key: string): string | undefined;
  /** Runs `fetch` once for all concurrent callers with the same key. */
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
