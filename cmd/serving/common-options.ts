/** Options that both programs in a cluster have: how they reach the API server, which addresses they listen at, how they log. */
import * as z from 'zod';
import type { OptionTable } from './option-values.ts';

/** How a program reaches the API server. */
export const API_SERVER_OPTIONS = {
  kubeconfig: {
    env: 'KUBECONFIG',
    help: 'kubeconfig files, separated as in PATH; absent in a Pod, where the ServiceAccount is used',
  },
  'service-host': { env: 'KUBERNETES_SERVICE_HOST', help: 'address of the API server, set in every Pod' },
  'service-port': { env: 'KUBERNETES_SERVICE_PORT', help: 'port of the API server, set in every Pod' },
  'account-folder': {
    env: 'SLIPWAY_ACCOUNT_FOLDER',
    help: 'folder with token, ca.crt and namespace of the ServiceAccount',
  },
} as const satisfies OptionTable;

/** The values of API_SERVER_OPTIONS. */
export const apiServerValues = {
  kubeconfig: z.string().optional(),
  'service-host': z.string().optional(),
  'service-port': z.string().default('443'),
  'account-folder': z.string().default('/var/run/secrets/kubernetes.io/serviceaccount'),
};

/** How a program logs. */
export const LOG_OPTIONS = {
  'log-level': { env: 'SLIPWAY_LOG_LEVEL', help: 'debug, info, warn or error' },
  'log-format': {
    env: 'SLIPWAY_LOG_FORMAT',
    help: 'numbers, or words: levels as words and times in ISO 8601; JSON either way',
  },
} as const satisfies OptionTable;

/** The values of LOG_OPTIONS. */
export const logValues = {
  'log-level': z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  'log-format': z.enum(['numbers', 'words']).default('numbers'),
};

/** host:port to listen at; without a host at every address. */
export function addressOption(preset: string) {
  return z
    .string()
    .regex(/^.*:\d{1,5}$/, 'must be host:port')
    .default(preset);
}

/** A number that bounds something. */
export function countOption(most: number) {
  return z.coerce.number().int().min(1).max(most);
}
