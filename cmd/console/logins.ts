/** The way to log in that the options ask for. */
import { readFile } from 'node:fs/promises';
import type { FullSlots } from '../../apply/shared-slots.ts';
import { fileSource } from '../../kube/transport/config.ts';
import type { Log } from '../../kube/log.ts';
import type { Transport } from '../../kube/transport/transport.ts';
import type { ClaimMapping } from '../../console/server/login/claims.ts';
import { inClusterLogin } from '../../console/server/login/in-cluster.ts';
import type { Login } from '../../console/server/login/login.ts';
import { oidcClient, type OidcClient } from '../../console/server/login/oidc-flow.ts';
import type { OidcIssuer } from '../../console/server/login/oidc.ts';
import { OwnSession } from '../../console/server/login/own-session.ts';
import { proxyLogin, type ProxyTrust } from '../../console/server/login/proxy.ts';
import { Sessions, type SessionKeys } from '../../console/server/login/session.ts';
import { TokenReviews } from '../../console/server/login/token-review.ts';
import { issuerFetch } from './issuer-fetch.ts';
import type { ConsoleFlags } from './options.ts';
import { sharedKey } from './session-keys.ts';

export interface LoginParts {
  readonly options: ConsoleFlags;
  /** With the credentials of the console, for reviews of tokens. */
  readonly transport: Pick<Transport, 'request'>;
  readonly keys: SessionKeys;
  readonly log: Log;
  readonly endSession: (session: string) => void;
  /** Called for each login that is refused since too many wait. */
  readonly onFull: (full: FullSlots) => void;
}

export function loginOf(parts: LoginParts): Login {
  const { options, transport, keys, log, endSession, onFull } = parts;
  if (options.login.has('proxy')) return proxyOf(parts);
  const sessions = new Sessions({ keys, seconds: options['session-hours'] * 3600 });
  const isSecure = options['external-url'].startsWith('https:');
  const cookie = { name: 'slipway-session', isSecure, sameSite: 'Strict' } as const;
  return inClusterLogin({
    session: new OwnSession({ sessions, cookie, canLogOut: true, onLogOut: endSession }),
    ...(options.login.has('oidc') && { oidc: oidcOf(options, sessions, isSecure) }),
    ...(options.login.has('token') && { tokens: new TokenReviews({ transport }) }),
    onFailure: (err) => log.warn({ err }, 'a login failed'),
    onFull,
  });
}

function oidcOf(options: ConsoleFlags, sessions: Sessions, isSecure: boolean): OidcClient {
  const issuer = options['oidc-issuer'] ?? '';
  const mapping: ClaimMapping = {
    issuer,
    usernameClaim: options['oidc-username-claim'],
    usernamePrefix: options['oidc-username-prefix'],
    groupsClaim: options['oidc-groups-claim'],
    groupsPrefix: options['oidc-groups-prefix'],
    uidClaim: options['oidc-uid-claim'],
    extra: options['oidc-extra'],
  };
  const externalUrl = options['external-url'];
  return oidcClient({ sessions, isSecure, externalUrl, mapping, issuer: () => discover(options) });
}

/** The library is loaded at the first login. */
async function discover(options: ConsoleFlags): Promise<OidcIssuer> {
  const { discoverIssuer } = await import('../../console/server/login/oidc.ts');
  const { 'oidc-ca-file': ca, 'oidc-client-secret-file': secret, 'https-proxy': proxy, 'no-proxy': noProxy } = options;
  const fetch = issuerFetch({ ca: ca === undefined ? undefined : await readFile(ca, 'utf8'), proxy, noProxy });
  return discoverIssuer({
    issuer: options['oidc-issuer'] ?? '',
    clientId: options['oidc-client-id'] ?? '',
    clientSecret: secret === undefined ? '' : (await readFile(secret, 'utf8')).trim(),
    scopes: options['oidc-scopes'],
    ...(fetch !== undefined && { fetch }),
  });
}

function proxyOf({ options, keys, endSession }: LoginParts): Login {
  const address = options['proxy-logout-url'];
  return proxyLogin({
    userHeader: options['proxy-user-header'],
    groupsHeader: options['proxy-groups-header'],
    trust: trustOf(options),
    onLogOut: endSession,
    secret: async () => sharedKey(await keys()),
    ...(address !== undefined && { logOutAddress: address }),
  });
}

function trustOf(options: ConsoleFlags): ProxyTrust {
  const file = options['proxy-secret-file'];
  if (file === undefined) return { by: 'certificate', names: options['proxy-names'] };
  const secret = fileSource(file);
  return { by: 'secret', header: options['proxy-secret-header'], secret: async () => (await secret()).trim() };
}
