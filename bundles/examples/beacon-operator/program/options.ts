/** The flags and the environment of the program, read once. */
import { parseArgs } from 'node:util';
import { z } from 'zod';

/** Ways to fail that real operators have; the bundles of the broken releases ask for one each. */
const FAULTS = ['none', 'crash', 'never-ready', 'deaf-webhooks', 'deaf-admission'] as const;

const Options = z.object({
  release: z.string().regex(/^\d+\.\d+\.\d+$/),
  'api-version': z.enum(['v1', 'v2']).default('v1'),
  /** Folder with `tls.crt` and `tls.key`; without, there are no webhooks. */
  certificates: z.string().optional(),
  'webhook-port': z.coerce.number().int().min(0).max(65_535).default(9443),
  'health-port': z.coerce.number().int().min(0).max(65_535).default(8080),
  fault: z.enum(FAULTS).default('none'),
  kubeconfig: z.string().optional(),
});

export interface Options extends Readonly<z.infer<typeof Options>> {
  /** `['']` is all namespaces. */
  readonly watch: readonly string[];
  readonly host: string | undefined;
  readonly servicePort: string;
  readonly accountFolder: string;
  readonly podName: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The namespaces to watch come in `WATCH_NAMESPACE`, separated by commas; the Pod template fills it from the annotation
 * `olm.targetNamespaces`, which the installer of the bundle writes. @throws Error that names the fault.
 */
export function parseOptions(args: readonly string[], env: Environment): Options {
  const names = Object.keys(Options.shape).map((name) => [name, { type: 'string' as const }] as const);
  const { values } = parseArgs({ args: [...args], options: Object.fromEntries(names), strict: true });
  return {
    ...Options.parse({ ...values, kubeconfig: values['kubeconfig'] ?? env['KUBECONFIG'] }),
    watch: (env['WATCH_NAMESPACE'] ?? '').split(',').map((name) => name.trim()),
    host: env['KUBERNETES_SERVICE_HOST'],
    servicePort: env['KUBERNETES_SERVICE_PORT'] ?? '443',
    accountFolder: env['ACCOUNT_FOLDER'] ?? '/var/run/secrets/kubernetes.io/serviceaccount',
    podName: env['POD_NAME'] ?? env['HOSTNAME'] ?? 'beacon-operator',
  };
}
