/** `slipway uninstall`: deletes a Subscription, or counts beforehand which objects are deleted and which stay. */
import { leavesObjects, type Subscription } from '../../../api/subscription.ts';
import { countCustomResources } from '../../../apply/custom-resources.ts';
import type { CustomResourcePolicy } from '../../../apply/plan-uninstall.ts';
import {
  describeOrphaned,
  inventoryOf,
  linesOfPreview,
  namesOfGiven,
  previewOf,
  type Preview,
} from '../../../report/uninstall-preview.ts';
import { describeUninstall } from '../../../report/act-sentences.ts';
import { handOversFor, judgeGiven } from '../adopt/given.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { formatTable } from '../output/table.ts';
import { patchOf, type Intent } from '../../../report/acts.ts';
import { carryOut, type ActFlags } from './carry-out.ts';
import { needSubscription, revisionsOf } from './objects.ts';
import { outcomeOf } from './print.ts';

export interface DeletionFlags extends ActFlags {
  /** Instead of the policies of the spec. */
  readonly customResources?: CustomResourcePolicy;
  readonly orphan?: boolean;
}

export interface UninstallFlags extends DeletionFlags {
  readonly preview?: boolean;
  readonly systemNamespace: string;
}

export async function uninstall(environment: Environment, text: string, flags: UninstallFlags): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async (connection) => {
    const { client } = connection;
    const subscription = await needSubscription(connection, text, signal);
    if (flags.preview !== true) return carryOut(client, intendUninstall(subscription, flags), flags, signal);
    const inventory = inventoryOf(await revisionsOf(client, subscription, signal));
    const leaves = isOrphaned(subscription, flags);
    const reported = await handOversFor(client, subscription, { kept: flags.systemNamespace, leaves, signal });
    const handOvers = reported.length === 0 ? {} : { handOvers: reported };
    if (leaves) {
      const stay = { state: 'Ready', orphaned: inventory.length, ...handOvers } as const;
      return outcomeOf(stay, printLines([describeOrphaned(inventory.length), ...reported]), flags.output);
    }
    const { namespace = '', name, uid = '' } = subscription.metadata;
    const counts = await countCustomResources(client, inventory, { owner: { namespace, name, uid }, signal });
    const givenByOlm = namesOfGiven(await judgeGiven(client, subscription, flags.systemNamespace, signal));
    const preview = previewOf(subscription, { inventory, counts, policy: flags.customResources, givenByOlm });
    // On the way back to OLM the preview says so, and that nothing is deleted.
    const shown = preview.state === 'Held' ? preview : { ...preview, ...handOvers };
    return outcomeOf(shown, printPreview(shown, columns), flags.output);
  });
}

/** Deletes the Subscription, after the policies for its objects if some are named. */
export function intendUninstall(subscription: Subscription, flags: DeletionFlags): Intent {
  const { namespace, name, uid = '' } = subscription.metadata;
  const ref = { apiVersion: subscription.apiVersion, kind: subscription.kind, name, ...(namespace !== undefined && { namespace }) }; // prettier-ignore
  const changed = changedPolicies(subscription, flags);
  const isPatched = Object.keys(changed).length > 0;
  return {
    acts: [
      ...(isPatched ? [patchOf(subscription, { spec: { uninstall: changed }, sameObject: true })] : []),
      { do: 'delete', ref, uid },
    ],
    message: describeUninstall(`${namespace}/${name}`, isOrphaned(subscription, flags)),
  };
}

function changedPolicies(subscription: Subscription, { customResources, orphan }: DeletionFlags): object {
  const { spec } = subscription;
  const isOther = customResources !== undefined && customResources !== spec.uninstall.customResources;
  return {
    ...(orphan === true && !leavesObjects(subscription) && { objects: 'Orphan' }),
    ...(isOther && { customResources }),
  };
}

function isOrphaned(subscription: Subscription, { orphan }: DeletionFlags): boolean {
  return orphan === true || leavesObjects(subscription);
}

/** The preview for people. */
export function printPreview(preview: PreviewOfUninstall, columns?: number): string {
  const rows = preview.steps.map(({ name, objects, kinds }) => [name, String(objects), kinds.join(', ')]);
  const table = rows.length === 0 ? '' : `\n${formatTable(['STEP', 'OBJECTS', 'DELETED'], rows, columns)}`;
  return `${printLines([...linesOfPreview(preview), ...(preview.handOvers ?? [])])}${table}`;
}

interface PreviewOfUninstall extends Preview {
  /** Hand-overs from OLM that have not ended, and their end. */
  readonly handOvers?: readonly string[];
}

function printLines(lines: readonly string[]): string {
  return lines.map((line) => `${cleanLine(line)}\n`).join('');
}
