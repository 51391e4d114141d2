/** What `why` and `why-not` are asked: the flags, and which of them go together. */
import type { WhySubject } from '../../../report/why-status.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { RegistryFlags } from '../input/registry.ts';

/** A question that is answered from catalogs alone. */
export interface OfflineFlags extends RegistryFlags {
  readonly catalog?: readonly string[];
  readonly installed?: string;
  readonly channel?: string;
  readonly version?: string;
  readonly edges?: 'Follow' | 'Ignore';
  readonly dependencies?: 'Install' | 'Require' | 'Ignore';
  readonly kubernetesVersion?: string;
}

/** A question that a Subscription in the cluster answers. */
export interface ClusterFlags {
  readonly subscription?: string;
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface WhyFlags extends OfflineFlags, ClusterFlags {}

const OFFLINE: ReadonlyMap<keyof OfflineFlags, string> = new Map([
  ['installed', '--installed'],
  ['channel', '--channel'],
  ['version', '--version'],
  ['edges', '--edges'],
  ['dependencies', '--dependencies'],
  ['kubernetesVersion', '--kubernetes-version'],
  ['plainHttp', '--plain-http'],
  ['registryConfig', '--registry-config'],
]);

const CLUSTER: ReadonlyMap<keyof ClusterFlags, string> = new Map([
  ['subscription', '--subscription'],
  ['namespace', '--namespace'],
  ['kubeconfig', '--kubeconfig'],
  ['context', '--context'],
]);

/** Whether catalogs are named. @throws ReasonedError InputInvalid for a flag that would have no effect */
export function isOffline(flags: WhyFlags): boolean {
  const offline = flags.catalog !== undefined;
  const idle = offline ? firstOf(CLUSTER, flags) : firstOf(OFFLINE, flags);
  if (idle === undefined) return offline;
  throw offline
    ? invalidInput(`${idle} is about a cluster, and --catalog asks catalogs alone`, `Leave ${idle} or --catalog out`)
    : invalidInput(`${idle} goes with --catalog`, 'Name a catalog, or ask the Subscription as it is');
}

function firstOf(names: ReadonlyMap<keyof WhyFlags, string>, flags: WhyFlags): string | undefined {
  return [...names].find(([key]) => flags[key] !== undefined)?.[1];
}

/** Reads `PACKAGE[@VERSION]`. @throws ReasonedError InputInvalid */
export function parseSubject(text: string): WhySubject {
  const [name = '', version] = text.split(/@(.*)/s, 2);
  if (name === '' || version === '')
    throw invalidInput(`${JSON.stringify(text)} names no package, or no version after its @`, 'Write PACKAGE@VERSION');
  return { package: name, ...(version !== undefined && { version }) };
}
