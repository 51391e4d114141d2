/** The flags and the environment of the console in a cluster, read once. Nothing below cmd/ reads either. */
import * as z from 'zod';
import {
  addressOption,
  API_SERVER_OPTIONS,
  apiServerValues,
  countOption,
  LOG_OPTIONS,
  logValues,
} from '../serving/common-options.ts';
import { describeTable, listOption, type OptionTable } from '../serving/option-values.ts';
import { proxyOption } from '../serving/proxy-options.ts';
import { readOptions, type GivenTexts } from '../serving/read-options.ts';
import { readOrigin, readPairs, readWays } from './option-readers.ts';

/** Every option: flag name → variable and help. The schema below has the same names. */
export const OPTIONS = {
  ...API_SERVER_OPTIONS,
  namespace: { env: 'POD_NAMESPACE', help: 'namespace of the manager, whose Lease and Service are read' },
  listen: { env: 'SLIPWAY_CONSOLE_LISTEN', help: 'host:port for browsers' },
  'listen-metrics': { env: 'SLIPWAY_CONSOLE_LISTEN_METRICS', help: 'host:port for /metrics' },
  'listen-probes': { env: 'SLIPWAY_CONSOLE_LISTEN_PROBES', help: 'host:port for /healthz and /readyz' },
  'external-url': {
    env: 'SLIPWAY_CONSOLE_URL',
    help: 'address under which browsers reach the console: https://console.example; other names are refused',
  },
  'tls-cert-file': { env: 'SLIPWAY_CONSOLE_TLS_CERT', help: 'certificate, as PEM; absent if a proxy ends TLS' },
  'tls-key-file': { env: 'SLIPWAY_CONSOLE_TLS_KEY', help: 'its key' },
  login: {
    env: 'SLIPWAY_CONSOLE_LOGIN',
    help: 'ways to log in: oidc, token, both separated by a comma, or proxy alone',
  },
  'oidc-issuer': { env: 'SLIPWAY_CONSOLE_OIDC_ISSUER', help: 'address of the issuer, as in its tokens' },
  'oidc-client-id': { env: 'SLIPWAY_CONSOLE_OIDC_CLIENT_ID', help: 'name of the console at the issuer' },
  'oidc-client-secret-file': {
    env: 'SLIPWAY_CONSOLE_OIDC_CLIENT_SECRET',
    help: 'file with its secret; absent for a public client',
  },
  'oidc-ca-file': { env: 'SLIPWAY_CONSOLE_OIDC_CA', help: 'authority of the certificate of the issuer, as PEM' },
  'https-proxy': {
    env: 'HTTPS_PROXY',
    help: 'proxy to the issuer; the API server and the manager are never reached through it',
  },
  'no-proxy': {
    env: 'NO_PROXY',
    help: 'hosts to reach without the proxy, by names, endings such as .example, addresses or ranges such as 10.0.0.0/8, separated by commas',
  },
  'oidc-scopes': { env: 'SLIPWAY_CONSOLE_OIDC_SCOPES', help: 'scopes to ask for, separated by commas' },
  'oidc-username-claim': {
    env: 'SLIPWAY_CONSOLE_OIDC_USERNAME_CLAIM',
    help: 'claim with the name of the user; as the flag of the API server',
  },
  'oidc-username-prefix': {
    env: 'SLIPWAY_CONSOLE_OIDC_USERNAME_PREFIX',
    help: 'put before it; - for none, absent for that of the API server: none for email, else the issuer and #',
  },
  'oidc-groups-claim': { env: 'SLIPWAY_CONSOLE_OIDC_GROUPS_CLAIM', help: 'claim with the groups; absent: none' },
  'oidc-groups-prefix': { env: 'SLIPWAY_CONSOLE_OIDC_GROUPS_PREFIX', help: 'put before each group' },
  'oidc-uid-claim': { env: 'SLIPWAY_CONSOLE_OIDC_UID_CLAIM', help: 'claim with the uid; absent: none' },
  'oidc-extra': {
    env: 'SLIPWAY_CONSOLE_OIDC_EXTRA',
    help: 'extra fields of the user from claims, as key=claim, separated by commas',
  },
  'proxy-user-header': { env: 'SLIPWAY_CONSOLE_PROXY_USER_HEADER', help: 'header in which the proxy names the user' },
  'proxy-groups-header': {
    env: 'SLIPWAY_CONSOLE_PROXY_GROUPS_HEADER',
    help: 'header with the groups; the proxy has to overwrite it, since several add up',
  },
  'proxy-secret-file': {
    env: 'SLIPWAY_CONSOLE_PROXY_SECRET',
    help: 'file with the secret by which the proxy proves itself',
  },
  'proxy-secret-header': { env: 'SLIPWAY_CONSOLE_PROXY_SECRET_HEADER', help: 'header with that secret' },
  'proxy-ca-file': {
    env: 'SLIPWAY_CONSOLE_PROXY_CA',
    help: 'authority of the client certificate by which the proxy proves itself; needs --tls-cert-file',
  },
  'proxy-names': { env: 'SLIPWAY_CONSOLE_PROXY_NAMES', help: 'names in that certificate, separated by commas' },
  'proxy-logout-url': { env: 'SLIPWAY_CONSOLE_PROXY_LOGOUT_URL', help: 'address at which the proxy ends a session' },
  'session-keys': {
    env: 'SLIPWAY_CONSOLE_SESSION_KEYS',
    help: 'folder with secrets of at least 32 bytes; the last by name seals sessions, all open them; absent: one of this process',
  },
  'session-hours': {
    env: 'SLIPWAY_CONSOLE_SESSION_HOURS',
    help: 'how long a person stays logged in; a logout is known to the replica that it reached alone, so a cookie that was copied before is good until then at others',
  },
  'read-only': { env: 'SLIPWAY_CONSOLE_READ_ONLY', help: 'true: no change is ever sent to the cluster' },
  'manager-url': { env: 'SLIPWAY_CONSOLE_MANAGER_URL', help: 'address of the manager, for the content of Catalogs' },
  'content-token-file': {
    env: 'SLIPWAY_CONSOLE_CONTENT_TOKEN',
    help: 'file with a token of the audience slipway.dev/catalogs, if the manager asks for one',
  },
  'max-streams': { env: 'SLIPWAY_CONSOLE_MAX_STREAMS', help: 'pages that are open at a time' },
  'max-streams-per-person': { env: 'SLIPWAY_CONSOLE_MAX_STREAMS_PER_PERSON', help: 'the same of one person' },
  'max-connections': { env: 'SLIPWAY_CONSOLE_MAX_CONNECTIONS', help: 'connections of browsers at a time' },
  'max-connections-per-address': {
    env: 'SLIPWAY_CONSOLE_MAX_CONNECTIONS_PER_ADDRESS',
    help: 'the same of one address, or of one network of 64 bits with IPv6; absent: a quarter of them if browsers connect by TLS to the console itself, else all, since those behind one proxy have one address',
  },
  ...LOG_OPTIONS,
} as const satisfies OptionTable;

const Values = z.object({
  ...apiServerValues,
  namespace: z.string().optional(),
  listen: addressOption(':8080'),
  'listen-metrics': addressOption(':8082'),
  'listen-probes': addressOption(':8081'),
  'external-url': z.string().transform(readOrigin),
  'tls-cert-file': z.string().optional(),
  'tls-key-file': z.string().optional(),
  login: z.string().default('oidc').transform(readWays),
  'oidc-issuer': z.string().regex(/^https:\/\//, 'must begin with https://').optional(), // prettier-ignore
  'oidc-client-id': z.string().optional(),
  'oidc-client-secret-file': z.string().optional(),
  'oidc-ca-file': z.string().optional(),
  'https-proxy': proxyOption(),
  'no-proxy': z.string().optional(),
  'oidc-scopes': z.string().default('openid,email').transform(listOption),
  'oidc-username-claim': z.string().default('sub'),
  'oidc-username-prefix': z.string().default(''),
  'oidc-groups-claim': z.string().default(''),
  'oidc-groups-prefix': z.string().default(''),
  'oidc-uid-claim': z.string().default(''),
  'oidc-extra': z.string().default('').transform(readPairs),
  'proxy-user-header': z.string().default('x-forwarded-user'),
  'proxy-groups-header': z.string().default('x-forwarded-groups'),
  'proxy-secret-file': z.string().optional(),
  'proxy-secret-header': z.string().default('x-slipway-proxy-secret'),
  'proxy-ca-file': z.string().optional(),
  'proxy-names': z.string().default('').transform(listOption),
  'proxy-logout-url': z.string().optional(),
  'session-keys': z.string().optional(),
  'session-hours': z.coerce.number().min(0.01).max(168).default(8),
  'read-only': z.stringbool().default(false),
  'manager-url': z.string().optional(),
  'content-token-file': z.string().optional(),
  'max-streams': countOption(10_000).default(512),
  'max-streams-per-person': countOption(10_000).default(64),
  'max-connections': countOption(10_000).default(1024),
  'max-connections-per-address': countOption(10_000).optional(),
  ...logValues,
});

/** Each value, and that they go together: else the console would be open, or closed to everyone. */
export const Options = Values.superRefine((options, context) => {
  for (const { isBroken, name, message } of rulesFor(options))
    if (isBroken) context.addIssue({ code: 'custom', path: [name], message });
});

export interface ConsoleFlags extends Readonly<z.infer<typeof Options>> {
  /** Variables that were ignored, each with its reason and remedy, for the log. */
  readonly ignored: readonly string[];
}

const BOTH_OR_NONE =
  'proxy needs --proxy-secret-file or --proxy-ca-file, and not both: else every client could name any user';

const FOR_CERTIFICATES = 'is needed for --proxy-ca-file';

type ConsoleValues = z.infer<typeof Values>;

interface OptionRule {
  readonly isBroken: boolean;
  /** The option at fault. */
  readonly name: keyof ConsoleValues;
  readonly message: string;
}

/** The rules that several options keep together, with whether these break them. */
function rulesFor(options: ConsoleValues): readonly OptionRule[] {
  const lacks = (name: keyof ConsoleValues): boolean => options[name] === undefined;
  const [isOidc, isProxy] = [options.login.has('oidc'), options.login.has('proxy')];
  const [isByCertificate, isBySecret] = [!lacks('proxy-ca-file'), !lacks('proxy-secret-file')];
  const isNameless = options['proxy-names'].length === 0;
  const isHalf = lacks('tls-cert-file') !== lacks('tls-key-file');
  return [
    { isBroken: isOidc && lacks('oidc-issuer'), name: 'oidc-issuer', message: 'is needed for --login oidc' },
    { isBroken: isOidc && lacks('oidc-client-id'), name: 'oidc-client-id', message: 'is needed for --login oidc' },
    { isBroken: isProxy && isByCertificate === isBySecret, name: 'login', message: BOTH_OR_NONE },
    { isBroken: isByCertificate && lacks('tls-cert-file'), name: 'tls-cert-file', message: FOR_CERTIFICATES },
    { isBroken: isByCertificate && isNameless, name: 'proxy-names', message: FOR_CERTIFICATES },
    { isBroken: isHalf, name: 'tls-key-file', message: 'certificate and key go together' },
  ];
}

/** Reads the options; throws InvalidConfiguration with every value at fault. */
export function parseOptions(args: GivenTexts['args'], env: GivenTexts['env']): ConsoleFlags {
  const { options, ignored } = readOptions(
    { program: 'console', table: OPTIONS, schema: Options, proxies: ['https-proxy'], reached: 'the issuer is' },
    { args, env },
  );
  return { ...options, ignored };
}

/** One line an option, for `--help`. */
export function describeOptions(): string {
  return describeTable(OPTIONS);
}
