/** The flags and the environment of the console in a cluster, read once. Nothing below cmd/ reads either. */
import * as z from 'zod';
import { describeTable, invalidOptions, readFlags, valuesOf, type OptionTable } from '../serving/option-values.ts';
import { describeIgnored, proxyOption, unusableProxies } from '../serving/proxy-options.ts';

/** Every option: flag name → variable and help. The schema below has the same names. */
export const OPTIONS = {
  kubeconfig: {
    env: 'KUBECONFIG',
    help: 'kubeconfig files, separated as in PATH; absent in a Pod, where the ServiceAccount is used',
  },
  namespace: { env: 'POD_NAMESPACE', help: 'namespace of the manager, whose Lease and Service are read' },
  'service-host': { env: 'KUBERNETES_SERVICE_HOST', help: 'address of the API server, set in every Pod' },
  'service-port': { env: 'KUBERNETES_SERVICE_PORT', help: 'port of the API server, set in every Pod' },
  'account-folder': {
    env: 'SLIPWAY_ACCOUNT_FOLDER',
    help: 'folder with token, ca.crt and namespace of the ServiceAccount',
  },
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
  'read-only': { env: 'SLIPWAY_CONSOLE_READ_ONLY', help: 'true: nothing is ever sent to the cluster' },
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
  'log-level': { env: 'SLIPWAY_LOG_LEVEL', help: 'debug, info, warn or error' },
  'log-format': {
    env: 'SLIPWAY_LOG_FORMAT',
    help: 'numbers, or words: levels as words and times in ISO 8601; JSON either way',
  },
} as const satisfies OptionTable;

export const Options = z.object({
  kubeconfig: z.string().optional(),
  namespace: z.string().optional(),
  'service-host': z.string().optional(),
  'service-port': z.string().default('443'),
  'account-folder': z.string().default('/var/run/secrets/kubernetes.io/serviceaccount'),
  listen: address(':8080'),
  'listen-metrics': address(':8082'),
  'listen-probes': address(':8081'),
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
  'oidc-scopes': z.string().default('openid,email').transform(list),
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
  'proxy-names': z.string().default('').transform(list),
  'proxy-logout-url': z.string().optional(),
  'session-keys': z.string().optional(),
  'session-hours': z.coerce.number().min(0.01).max(168).default(8),
  'read-only': z.stringbool().default(false),
  'manager-url': z.string().optional(),
  'content-token-file': z.string().optional(),
  'max-streams': z.coerce.number().int().min(1).max(10_000).default(512),
  'max-streams-per-person': z.coerce.number().int().min(1).max(10_000).default(64),
  'max-connections': z.coerce.number().int().min(1).max(10_000).default(1024),
  'max-connections-per-address': z.coerce.number().int().min(1).max(10_000).optional(),
  'log-level': z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  'log-format': z.enum(['numbers', 'words']).default('numbers'),
});
export interface ConsoleFlags extends Readonly<z.infer<typeof Options>> {
  /** Variables that were ignored, each with its reason and remedy, for the log. */
  readonly ignored: readonly string[];
}

const WAYS = ['oidc', 'token', 'proxy'] as const;
export type LoginWay = (typeof WAYS)[number];

function address(preset: string) {
  return z.string().regex(/^.*:\d{1,5}$/, 'must be host:port').default(preset); // prettier-ignore
}

function list(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim()).filter((part) => part !== ''); // prettier-ignore
}

/** Scheme, host and port, and nothing behind: the console has the host for itself. */
function readOrigin(text: string, context: z.RefinementCtx): string {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (isOrigin && url.username === '' && url.hash === '') return url.origin;
  context.addIssue({ code: 'custom', message: 'must be an address without a path: https://console.example' });
  return z.NEVER;
}

function readWays(text: string, context: z.RefinementCtx): ReadonlySet<LoginWay> {
  const named = list(text);
  const ways = new Set(WAYS.filter((way) => named.includes(way)));
  const isAlone = !ways.has('proxy') || ways.size === 1;
  if (named.length > 0 && ways.size === new Set(named).size && isAlone) return ways;
  context.addIssue({ code: 'custom', message: 'must be oidc, token, oidc,token, or proxy' });
  return z.NEVER;
}

function readPairs(text: string, context: z.RefinementCtx): ReadonlyMap<string, string> {
  const pairs = list(text).map((pair) => pair.split('='));
  if (pairs.every((pair) => pair.length === 2 && !pair.includes('')))
    return new Map(pairs.map(([key = '', claim = '']) => [key, claim]));
  context.addIssue({ code: 'custom', message: 'must be key=claim, separated by commas' });
  return z.NEVER;
}

/** Reads the options; throws InvalidConfiguration with every value at fault. */
export function parseOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>): ConsoleFlags {
  const flags = readFlags('console', OPTIONS, args);
  const values = valuesOf(OPTIONS, flags, env);
  const unusable = unusableProxies(['https-proxy'], { table: OPTIONS, flags, env });
  for (const name of unusable) delete values[name];
  const result = Options.safeParse(values);
  const faults = result.success ? faultsOf(result.data) : result.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`); // prettier-ignore
  if (result.success && faults.length === 0)
    return { ...result.data, ignored: unusable.map((name) => describeIgnored(OPTIONS[name].env, 'the issuer is')) };
  throw invalidOptions('console', faults.join('; '));
}

/** Options that do not go together; each would leave the console open, or closed to everyone. */
function faultsOf(options: z.infer<typeof Options>): readonly string[] {
  const { login } = options;
  const needs = (name: keyof typeof options, way: string): readonly string[] =>
    options[name] === undefined ? [`--${name}: is needed for ${way}`] : [];
  const isByCertificate = options['proxy-ca-file'] !== undefined;
  const isBySecret = options['proxy-secret-file'] !== undefined;
  return [
    ...(login.has('oidc') ? [...needs('oidc-issuer', '--login oidc'), ...needs('oidc-client-id', '--login oidc')] : []),
    ...(login.has('proxy') && isByCertificate === isBySecret
      ? ['--login: proxy needs --proxy-secret-file or --proxy-ca-file, and not both: else every client could name any user'] // prettier-ignore
      : []),
    ...(isByCertificate ? needs('tls-cert-file', '--proxy-ca-file') : []),
    ...(isByCertificate && options['proxy-names'].length === 0 ? ['--proxy-names: is needed for --proxy-ca-file'] : []),
    ...((options['tls-cert-file'] === undefined) === (options['tls-key-file'] === undefined)
      ? []
      : ['--tls-key-file: certificate and key go together']),
  ];
}

/** Connections that one address may have: one browser cannot take those of all others, unless all are behind a proxy. */
export function connectionsPerAddress(options: ConsoleFlags): number {
  const { login, 'max-connections': all, 'max-connections-per-address': given } = options;
  const isDirect = options['tls-cert-file'] !== undefined && !login.has('proxy');
  return given ?? (isDirect ? Math.ceil(all / 4) : all);
}

/** Options that work, and that an administrator has to know the price of; and those that are ignored. */
export function warningsOf(options: ConsoleFlags): readonly string[] {
  const { protocol, hostname } = new URL(options['external-url']);
  const isOwn = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost');
  if (protocol === 'https:' || isOwn) return options.ignored;
  return [
    ...options.ignored,
    'browsers reach the console without TLS: everyone on the way can read sessions and tokens, and act with them; let a proxy end TLS, or set --tls-cert-file, and begin --external-url with https://',
  ];
}

/** One line an option, for `--help`. */
export function describeOptions(): string {
  return describeTable(OPTIONS);
}
