/** The flags of the commands that read a cluster. */
import type { OutputFlags } from '../flags.ts';
import type { KubeFlags } from '../input/connection.ts';

export interface ReadFlags extends KubeFlags, OutputFlags {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly watch?: boolean;
}
