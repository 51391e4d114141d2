/**
 * Login by an OpenID Connect issuer: code flow with PKCE, state and nonce. oidc.ts talks to the issuer; it is loaded at the
 * first login, since its library is large.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { ReasonedError } from '../../../api/errors.ts';
import { putCookie, readCookie, removeCookie, type CookieFacts } from './cookies.ts';
import type { Person } from '../person.ts';
import { personOfClaims, type ClaimMapping } from './claims.ts';
import type { ConsoleContext } from './login.ts';
import type { OidcIssuer } from './oidc.ts';
import type { Sessions } from './session.ts';

export interface OidcClient {
  /** Sends the browser to the issuer. */
  begin(context: ConsoleContext, back: string): Promise<Response>;
  /** The person whom the issuer has sent back. @throws ReasonedError Forbidden, CredentialsUnavailable */
  finish(context: ConsoleContext): Promise<FinishedLogin>;
  /** Where the browser ends its session with the issuer; undefined if the issuer has no such address. */
  endAddress(): Promise<string | undefined>;
}

export interface FinishedLogin {
  readonly person: Person;
  readonly back: string;
  readonly expires?: number;
}

export interface OidcClientOptions {
  readonly sessions: Sessions;
  readonly isSecure: boolean;
  /** Address of the console, as browsers have it: without a slash at the end. */
  readonly externalUrl: string;
  readonly mapping: ClaimMapping;
  readonly issuer: () => Promise<OidcIssuer>;
}

/** A login that has begun. Its cookie binds the answer of the issuer to the browser that asked. */
const Begun = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string(), back: z.string() });

const MINUTES = 10;

export function oidcClient({ sessions, isSecure, externalUrl, mapping, issuer }: OidcClientOptions): OidcClient {
  // Another site leads back here, so that a strict cookie would stay behind.
  const cookie: CookieFacts = { name: 'slipway-login', isSecure, sameSite: 'Lax' };
  const redirectUri = `${externalUrl}/login/callback`;
  const known = once(issuer);
  return {
    async begin(context, back) {
      const begun = { state: random(), nonce: random(), verifier: random(), back };
      const address = await (await known()).authorizationAddress({ ...begun, redirectUri });
      const sealed = await sessions.seal('login', begun, Date.now() + MINUTES * 60_000);
      putCookie(context, cookie, sealed, MINUTES * 60);
      return context.redirect(address, 303);
    },
    async finish(context) {
      const sealed = readCookie(context, cookie);
      removeCookie(context, cookie);
      const begun = Begun.safeParse(
        sealed === undefined ? undefined : (await sessions.unseal('login', sealed))?.content,
      );
      if (!begun.success) throw notBegun();
      // By the address that the issuer knows, whatever the proxies before this server have made of it.
      const address = new URL(`${redirectUri}${new URL(context.req.url).search}`);
      const claims = await (await known()).claimsOf({ ...begun.data, address });
      return { person: personOfClaims(claims, mapping), back: begun.data.back };
    },
    async endAddress() {
      return (await known()).endAddress(`${externalUrl}/login`);
    },
  };
}

/** A failure is not kept: the issuer may be back at the next login. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function random(): string {
  return randomBytes(32).toString('base64url');
}

function notBegun(): ReasonedError {
  return new ReasonedError({
    reason: 'Forbidden',
    retry: 'never',
    message: 'this browser has not begun the login, or began it more than ten minutes ago',
    hint: 'Log in again, and allow cookies',
  });
}
