/** The flags of `slipway rights`. */
import type { RegistryFlags } from '../input/registry.ts';

export interface RightsFlags extends RegistryFlags {
  readonly from?: string;
  readonly namespace: string;
  readonly watchNamespace?: readonly string[];
  readonly minimal?: boolean;
  readonly missing?: string;
  readonly account: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}
