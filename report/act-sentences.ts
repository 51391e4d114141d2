/**
 * The sentences that report an act: the command line prints them, and the console answers with them. `delay` is that of
 * delay.ts. Pure.
 */
import { parseMastermindsRange } from '../resolver/ranges/masterminds.ts';
import { parseVersion } from '../resolver/version.ts';

/** `ops/gadget` is suspended or resumed. */
export function describeSuspension(name: string, suspend: boolean): string {
  const state = suspend ? 'suspended' : 'resumed';
  const effect = suspend ? 'the manager neither upgrades nor repairs its operator' : 'the manager works on it again';
  return `Subscription ${name} is ${state}: ${effect}`;
}

export function describeReconcile(kind: string, name: string, delay = ''): string {
  const effect = kind === 'Catalog' ? 'the manager asks its registry' : 'versions that failed are tried again';
  return `A reconcile of ${kind} ${name} is requested: ${effect}${delay}`;
}

/** @param bundle Name of the bundle, if it is known */
export function describeApproval(name: string, bundle?: string, delay = ''): string {
  return `Revision ${name} is approved: the manager installs ${bundle ?? 'its bundle'} as soon as nothing else holds it back${delay}`;
}

/** Fields of a spec that are set, or removed by `null`. */
export type WantedChange = Readonly<Record<string, string | null>>;

export function describeRequest(name: string, wanted: WantedChange, delay = ''): string {
  return `Subscription ${name} requests ${listWanted(wanted)}${delay}`;
}

/** `version 1.0.0, any channel` */
export function listWanted(wanted: WantedChange): string {
  return Object.entries(wanted)
    .map(([field, value]) => (value === null ? `any ${field}` : `${field} ${value}`))
    .join(', ');
}

export interface RollbackFacts {
  readonly version: string;
  /** The version that is installed, if it is known: nothing but the pin keeps the manager from installing it again. */
  readonly left?: string | undefined;
  /** `spec.version` until now, if it is known and set. */
  readonly before?: string | undefined;
  readonly delay?: string | undefined;
}

export function describeRollback(name: string, { version, left, before, delay = '' }: RollbackFacts): string {
  const request = `Subscription ${name} requests version ${version} and ignores the edges of the catalog, since no edge leads back${delay}`;
  const replaced = before === undefined || before === version ? '' : `. Its spec.version was ${before}`;
  if (left === undefined) return `${request}${replaced}`;
  return `${request}${replaced}. To upgrade again, along the edges and past ${left}: slipway upgrade ${name} --version '${rangeWithout(left, before)}'`;
}

/** The range of before without one version; a pin is no range to go back to. */
function rangeWithout(version: string, before = ''): string {
  const excluded = `!=${version}`;
  const isPin = parseVersion(before.replace(/^[=v\s]+/, '')).ok;
  if (isPin || !parseMastermindsRange(before).ok) return excluded;
  return before
    .split('||')
    .map((alternative) => `${alternative.trim()} ${excluded}`)
    .join(' || ');
}

export function describeUninstall(name: string, leavesObjects: boolean): string {
  const effect = leavesObjects ? 'leaves its objects as they are' : 'uninstalls its operator';
  return `Subscription ${name} is marked for deletion: the manager ${effect}. To wait for the end: slipway wait ${name} --for deleted`;
}

/** @param waits Whether the first version needs an approval */
export function describeInstall(name: string, packageName: string, waits: boolean): string {
  const created = `Subscription ${name} is created for package ${packageName}`;
  return waits
    ? `${created}. Its first version waits for an approval: slipway approve ${name}`
    : `${created}. To wait for the end of the installation: slipway wait ${name}`;
}
