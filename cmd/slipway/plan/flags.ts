/** The question of `plan`: its flags, and which of them go together. */
import { optionOf } from '../flags.ts';
import type { DenyRuleName } from '../../../plan/deny.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { TrustFlags } from '../verify/trust.ts';

export interface PlanFlags extends RegistryFlags, TrustFlags {
  readonly file?: string;
  readonly catalog?: readonly string[];
  readonly from?: string;
  readonly bundle?: readonly string[];
  readonly kubernetesVersion?: string;
  readonly uninstall?: boolean;
  readonly systemNamespace: string;
  readonly deny?: readonly DenyRuleName[];
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: string;
}

/** A question that is answered from files, catalogs and bundles alone. */
export interface PlanOfflineFlags extends PlanFlags {
  readonly file: string;
  readonly catalog: readonly string[];
}

const OFFLINE = [
  ...(['catalog', 'from', 'bundle', 'kubernetesVersion', 'plainHttp', 'registryConfig'] as const),
  ...(['key', 'issuer', 'subject', 'trustedRoot', 'policy'] as const),
];
const CLUSTER = ['uninstall', 'kubeconfig', 'context'] as const;

/** Whether no cluster is asked. @throws ReasonedError InputInvalid for flags that do not go together */
export function isOffline(flags: PlanFlags, subject: string | undefined): flags is PlanOfflineFlags {
  const { file, catalog } = flags;
  if ((file === undefined) === (subject === undefined))
    throw invalidInput(
      file === undefined ? 'no Subscription is named' : 'both a file and a Subscription in the cluster are named',
      'Name a file by --file, or a Subscription in the cluster as NAMESPACE/NAME',
    );
  const idle = (file === undefined ? OFFLINE : CLUSTER).find((name) => flags[name] !== undefined);
  if (idle !== undefined)
    throw invalidInput(
      `${optionOf(idle)} goes ${file === undefined ? 'with --file' : 'with a Subscription in the cluster'}`,
    );
  if (file !== undefined && catalog === undefined)
    throw invalidInput('no catalog is named', 'Name the catalog of the Subscription by --catalog');
  return file !== undefined;
}
