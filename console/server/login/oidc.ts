/**
 * Requests to an OpenID Connect issuer, by openid-client: discovery, the exchange of a code, and the checks of the
 * id-token. Loaded when a person logs in, since the library is large.
 */
import * as openid from 'openid-client';
import { ReasonedError } from '../../../api/errors.ts';
import type { Claims } from './claims.ts';

export interface OidcIssuer {
  /** Address at the issuer to which the browser is sent. */
  authorizationAddress(begun: BegunLogin & { readonly redirectUri: string }): Promise<string>;
  /** The claims of the id-token for the code in the address. @throws ReasonedError Forbidden, CredentialsUnavailable */
  claimsOf(begun: BegunLogin & { readonly address: URL }): Promise<Claims>;
  /** Address that ends the session of the browser with the issuer; undefined if there is none. */
  endAddress(backTo: string): string | undefined;
}

/** The secrets of one login. */
export interface BegunLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface IssuerOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Trusts another authority than those of the system. */
  readonly fetch?: openid.CustomFetch;
}

/** Finds the issuer's endpoints. @throws ReasonedError CredentialsUnavailable, to be retried, if it does not answer */
export async function discoverIssuer(options: IssuerOptions): Promise<OidcIssuer> {
  const { issuer, clientId, clientSecret, scopes, fetch } = options;
  const authentication = clientSecret === '' ? openid.None() : openid.ClientSecretPost(clientSecret);
  const custom = fetch === undefined ? {} : { [openid.customFetch]: fetch };
  const config = await openid
    .discovery(new URL(issuer), clientId, undefined, authentication, {
      timeout: TIMEOUT_SECONDS,
      // The library trusts the connection to the issuer otherwise, and checks no signature.
      execute: [openid.enableNonRepudiationChecks],
      ...custom,
    })
    .catch((cause: unknown) => {
      throw failed(`the issuer ${issuer} does not answer: ${describe(cause)}`, cause);
    });
  return {
    async authorizationAddress({ state, nonce, verifier, redirectUri }) {
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return address.href;
    },
    async claimsOf({ address, state, nonce, verifier }) {
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      try {
        const tokens = await openid.authorizationCodeGrant(config, address, checks);
        return tokens.claims() ?? {};
      } catch (cause) {
        throw refused(`the issuer's answer is not accepted: ${describe(cause)}`, cause);
      }
    },
    endAddress(backTo) {
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return openid.buildEndSessionUrl(config, { post_logout_redirect_uri: backTo }).href;
    },
  };
}

const TIMEOUT_SECONDS = 10;

function describe(cause: unknown): string {
  const {
    message,
    error,
    error_description: said,
  } = cause as Error & {
    readonly error?: string;
    readonly error_description?: string;
  };
  if (error === undefined) return message;
  return said === undefined ? error : `${error}: ${said}`;
}

function failed(message: string, cause: unknown): ReasonedError {
  const hint = 'Try again; if it stays, check --oidc-issuer and the network policy of the console';
  return new ReasonedError({ reason: 'CredentialsUnavailable', retry: 'backoff', message, hint, cause });
}

function refused(message: string, cause: unknown): ReasonedError {
  return new ReasonedError({ reason: 'Forbidden', retry: 'never', message, hint: 'Log in again', cause });
}
