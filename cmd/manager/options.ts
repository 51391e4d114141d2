/**
 * The manager's flags and environment, read once: flags win over the environment, the environment over defaults.
 * Nothing below cmd/ reads either.
 */
import * as z from 'zod';
import type { UpgradePolicy } from '../../api/upgrade-policy.ts';
import { readPolicy } from '../../controllers/upgrade-policy.ts';
import { canonicalHost } from '../../oci/host.ts';
import { DEFAULT_TIMINGS } from '../../kube/election/lease-record.ts';
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

/** Every option: flag name → variable and help. The schema below has the same names. */
export const OPTIONS = {
  ...API_SERVER_OPTIONS,
  namespace: { env: 'POD_NAMESPACE', help: 'namespace of the manager, for the lease and pull secrets' },
  identity: { env: 'POD_NAME', help: 'name of this replica in the lease and in events' },
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
  ...LOG_OPTIONS,
} as const satisfies OptionTable;

export const Options = z.object({
  ...apiServerValues,
  namespace: z.string().optional(),
  identity: z.string().default(`manager-${process.pid}`),
  'data-folder': z.string().default('/var/lib/slipway'),
  listen: addressOption(':8080'),
  'listen-probes': addressOption(':8081'),
  'max-connections': countOption(10_000).default(256),
  'max-connections-per-address': countOption(10_000).default(64),
  'max-catalog-bodies': countOption(1000).default(8),
  'max-catalog-bodies-per-address': countOption(1000).default(4),
  'client-timeout': countOption(600).default(30),
  'catalog-auth': z.enum(['none', 'token']).default('none'),
  'leader-elect': z.stringbool().default(true),
  'lease-seconds': z.coerce.number().int().min(5).max(300).default(DEFAULT_TIMINGS.leaseSeconds),
  concurrency: countOption(256).default(16),
  'plain-http': z
    .string()
    .default('')
    .transform((text) => listOption(text).map(canonicalHost)),
  'link-local-registries': z.stringbool().default(false),
  'https-proxy': proxyOption(),
  'http-proxy': proxyOption(),
  'no-proxy': z.string().optional(),
  'registry-timeout': countOption(600).default(30),
  'pull-timeout': countOption(86_400).default(600),
  'probe-webhooks': z.stringbool().default(true),
  'upgrade-policy': z.string().default('').transform(readUpgradePolicy),
  ...logValues,
});
export interface ManagerOptions extends Readonly<z.infer<typeof Options>> {
  /** Variables that were ignored, each with its reason and remedy, for the log. */
  readonly warnings: readonly string[];
}

/** The policy, or a fault of the option. */
function readUpgradePolicy(text: string, context: z.RefinementCtx): UpgradePolicy | undefined {
  if (text === '') return undefined;
  const read = readPolicy(text, 'it');
  if ('policy' in read) return read.policy;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
}

/** Reads the options; throws InvalidConfiguration with every value at fault. */
export function parseOptions(args: GivenTexts['args'], env: GivenTexts['env']): ManagerOptions {
  const { options, ignored } = readOptions(
    {
      program: 'manager',
      table: OPTIONS,
      schema: Options,
      proxies: ['https-proxy', 'http-proxy'],
      reached: 'registries are',
    },
    { args, env },
  );
  return { ...options, warnings: ignored };
}

/** One line an option, for `--help`. */
export function describeOptions(): string {
  return describeTable(OPTIONS);
}
