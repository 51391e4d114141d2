/**
 * The manager's flags and environment, read once: flags win over the environment, the environment over defaults.
 * Nothing below cmd/ reads either.
 */
import * as z from 'zod';
import type { UpgradePolicy } from '../../api/upgrade-policy.ts';
import { readPolicy } from '../../controllers/upgrade-policy.ts';
import { canonicalHost } from '../../oci/host.ts';
import { DEFAULT_TIMINGS } from '../../kube/election/lease-record.ts';
import { describeTable, invalidOptions, readFlags, valuesOf, type OptionTable } from '../serving/option-values.ts';
import { describeIgnored, proxyOption, unusableProxies } from '../serving/proxy-options.ts';

/** Every option: flag name → variable and help. The schema below has the same names. */
export const OPTIONS = {
  kubeconfig: {
    env: 'KUBECONFIG',
    help: 'kubeconfig files, separated as in PATH; absent in a Pod, where the ServiceAccount is used',
  },
  namespace: { env: 'POD_NAMESPACE', help: 'namespace of the manager, for the lease and pull secrets' },
  identity: { env: 'POD_NAME', help: 'name of this replica in the lease and in events' },
  'service-host': { env: 'KUBERNETES_SERVICE_HOST', help: 'address of the API server, set in every Pod' },
  'service-port': { env: 'KUBERNETES_SERVICE_PORT', help: 'port of the API server, set in every Pod' },
  'account-folder': {
    env: 'SLIPWAY_ACCOUNT_FOLDER',
    help: 'folder with token, ca.crt and namespace of the ServiceAccount',
  },
  'data-folder': { env: 'SLIPWAY_DATA_FOLDER', help: 'folder for catalog indexes; can be lost at any time' },
  listen: {
    env: 'SLIPWAY_LISTEN',
    help: 'host:port for metrics and catalog content; without a host at every address, of IPv4 and IPv6',
  },
  'listen-probes': {
    env: 'SLIPWAY_LISTEN_PROBES',
    help: 'host:port for /healthz and /readyz; of its own, so that clients cannot keep probes from an answer',
  },
  'max-connections': {
    env: 'SLIPWAY_MAX_CONNECTIONS',
    help: 'connections to --listen at a time; more are closed at once',
  },
  'max-connections-per-address': {
    env: 'SLIPWAY_MAX_CONNECTIONS_PER_ADDRESS',
    help: 'the same of one address; raise it to --max-connections if all clients come through one proxy',
  },
  'max-catalog-bodies': {
    env: 'SLIPWAY_MAX_CATALOG_BODIES',
    help: 'catalog contents sent at a time; further requests are answered with 503 and Retry-After',
  },
  'max-catalog-bodies-per-address': {
    env: 'SLIPWAY_MAX_CATALOG_BODIES_PER_ADDRESS',
    help: 'the same of one address; raise it to --max-catalog-bodies if all clients come through one proxy',
  },
  'client-timeout': {
    env: 'SLIPWAY_CLIENT_TIMEOUT',
    help: 'seconds after which a client is cut that reads nothing of its answer; a slow one that reads is not',
  },
  'catalog-auth': {
    env: 'SLIPWAY_CATALOG_AUTH',
    help: 'token: catalog content only for clients whose token may get the Catalog; none: for all that reach the port',
  },
  'leader-elect': {
    env: 'SLIPWAY_LEADER_ELECT',
    help: 'whether replicas elect the one that writes; false for development: a Pod and the one that replaces it would both write',
  },
  'lease-seconds': {
    env: 'SLIPWAY_LEASE_SECONDS',
    help: 'lease duration: how long replicas wait for a silent leader, which gives up after two thirds of that',
  },
  concurrency: {
    env: 'SLIPWAY_CONCURRENCY',
    help: 'reconciles of one kind at a time; of 16, one namespace alone holds 8 at most, and no more than 4 while others wait',
  },
  'plain-http': {
    env: 'SLIPWAY_PLAIN_HTTP',
    help: 'registries to speak to without TLS, separated by commas; loopback always',
  },
  'link-local-registries': {
    env: 'SLIPWAY_LINK_LOCAL_REGISTRIES',
    help: 'true if registries have link-local addresses, as metadata services of clouds do; else these are refused',
  },
  'https-proxy': { env: 'HTTPS_PROXY', help: 'proxy to registries; the API server is never reached through it' },
  'http-proxy': { env: 'HTTP_PROXY', help: 'the same for registries without TLS' },
  'no-proxy': {
    env: 'NO_PROXY',
    help: 'registries to reach without the proxy, by names, endings such as .example, addresses or ranges such as 10.0.0.0/8, separated by commas',
  },
  'registry-timeout': {
    env: 'SLIPWAY_REGISTRY_TIMEOUT',
    help: 'seconds that a registry may be silent before it counts as unavailable',
  },
  'pull-timeout': {
    env: 'SLIPWAY_PULL_TIMEOUT',
    help: 'seconds that a bundle, a catalog or the signatures of an image may take to arrive; then the pull ends, and begins again after five minutes',
  },
  'probe-webhooks': {
    env: 'SLIPWAY_PROBE_WEBHOOKS',
    help: 'whether the API server is to call webhooks before anything depends on them; false if Pods are only simulated',
  },
  'upgrade-policy': {
    env: 'SLIPWAY_UPGRADE_POLICY',
    help: 'upgrade policy as JSON, for Subscriptions and namespaces that have none: {"automatic":"Patch"}',
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
  identity: z.string().default(`manager-${process.pid}`),
  'service-host': z.string().optional(),
  'service-port': z.string().default('443'),
  'account-folder': z.string().default('/var/run/secrets/kubernetes.io/serviceaccount'),
  'data-folder': z.string().default('/var/lib/slipway'),
  listen: z
    .string()
    .regex(/^.*:\d{1,5}$/, 'must be host:port')
    .default(':8080'),
  'listen-probes': z
    .string()
    .regex(/^.*:\d{1,5}$/, 'must be host:port')
    .default(':8081'),
  'max-connections': z.coerce.number().int().min(1).max(10_000).default(256),
  'max-connections-per-address': z.coerce.number().int().min(1).max(10_000).default(64),
  'max-catalog-bodies': z.coerce.number().int().min(1).max(1000).default(8),
  'max-catalog-bodies-per-address': z.coerce.number().int().min(1).max(1000).default(4),
  'client-timeout': z.coerce.number().int().min(1).max(600).default(30),
  'catalog-auth': z.enum(['none', 'token']).default('none'),
  'leader-elect': z.stringbool().default(true),
  'lease-seconds': z.coerce.number().int().min(5).max(300).default(DEFAULT_TIMINGS.leaseSeconds),
  concurrency: z.coerce.number().int().min(1).max(256).default(16),
  'plain-http': z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .filter((name) => name !== '')
        .map(canonicalHost),
    ),
  'link-local-registries': z.stringbool().default(false),
  'https-proxy': proxyOption(),
  'http-proxy': proxyOption(),
  'no-proxy': z.string().optional(),
  'registry-timeout': z.coerce.number().int().min(1).max(600).default(30),
  'pull-timeout': z.coerce.number().int().min(1).max(86_400).default(600),
  'probe-webhooks': z.stringbool().default(true),
  'upgrade-policy': z.string().default('').transform(readUpgradePolicy),
  'log-level': z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  'log-format': z.enum(['numbers', 'words']).default('numbers'),
});
export interface ManagerOptions extends Readonly<z.infer<typeof Options>> {
  /** Variables that were ignored, each with its reason and remedy, for the log. */
  readonly warnings: readonly string[];
}

const PROXIES = ['https-proxy', 'http-proxy'] as const;

/** The policy, or a fault of the option. */
function readUpgradePolicy(text: string, context: z.RefinementCtx): UpgradePolicy | undefined {
  if (text === '') return undefined;
  const read = readPolicy(text, 'it');
  if ('policy' in read) return read.policy;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
}

/** Reads the options; throws InvalidConfiguration with every value at fault. */
export function parseOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ManagerOptions {
  const flags = readFlags('manager', OPTIONS, args);
  const unusable = unusableProxies(PROXIES, { table: OPTIONS, flags, env });
  const values = valuesOf(OPTIONS, flags, env);
  for (const name of unusable) delete values[name];
  const result = Options.safeParse(values);
  if (result.success)
    return { ...result.data, warnings: unusable.map((name) => describeIgnored(OPTIONS[name].env, 'registries are')) };
  throw invalidOptions(
    'manager',
    result.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('; '),
  );
}

/** One line an option, for `--help`. */
export function describeOptions(): string {
  return describeTable(OPTIONS);
}
