/** The sentences that report an act: the command line prints them, and the console answers with them. Pure. */

/** `ops/gadget` is suspended or resumed. */
export function describeSuspension(name: string, suspend: boolean): string {
  const state = suspend ? 'suspended' : 'resumed';
  const effect = suspend ? 'the manager neither upgrades nor repairs its operator' : 'the manager works on it again';
  return `Subscription ${name} is ${state}: ${effect}`;
}

export function describeReconcile(kind: string, name: string): string {
  const effect = kind === 'Catalog' ? 'the manager asks its registry now' : 'versions that failed are tried again';
  return `A reconcile of ${kind} ${name} is requested: ${effect}`;
}

/** @param bundle Name of the bundle, if it is known */
export function describeApproval(name: string, bundle?: string): string {
  return `Revision ${name} is approved: the manager installs ${bundle ?? 'its bundle'}`;
}

/** Fields of a spec that are set, or removed by `null`. */
export type WantedChange = Readonly<Record<string, string | null>>;

export function describeRequest(name: string, wanted: WantedChange): string {
  return `Subscription ${name} requests ${listWanted(wanted)}`;
}

/** `version 1.0.0, any channel` */
export function listWanted(wanted: WantedChange): string {
  return Object.entries(wanted)
    .map(([field, value]) => (value === null ? `any ${field}` : `${field} ${value}`))
    .join(', ');
}

export function describeRollback(name: string, version: string): string {
  return `Subscription ${name} requests version ${version} and ignores the edges of the catalog, since no edge leads back. To let it upgrade again: slipway upgrade ${name} --unpin`;
}

export function describeUninstall(name: string, leavesObjects: boolean): string {
  const effect = leavesObjects ? 'leaves its objects as they are' : 'uninstalls its operator';
  return `Subscription ${name} is marked for deletion: the manager ${effect}. To wait for the end: slipway wait ${name} --for deleted`;
}

export function describeInstall(name: string, packageName: string): string {
  return `Subscription ${name} is created: the manager installs package ${packageName}`;
}
