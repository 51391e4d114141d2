/** How a scenario has begun and ended, and in which respects one ending differs from another. */
import type { TestCluster } from '../cluster/cluster.ts';
import { list } from '../lib/objects.ts';
import { readState, type State } from '../lib/state.ts';
import { differences, replaced } from '../lib/state-differences.ts';
import { until } from '../lib/until.ts';
import { SETTLES_WITHIN_SECONDS } from './patience.ts';

export interface Ending {
  /** Before the acts of the scenario. */
  readonly begin: State;
  /** When the manager was dead; absent in an undisturbed run. */
  readonly killed?: State;
  readonly end: State;
  /** `Warning UpgradeFailed Subscription`: the kinds of events about our objects. */
  readonly events: ReadonlySet<string>;
  /** The generation of each Revision whose version has failed. */
  readonly failed: ReadonlyMap<string, number>;
}

interface FoundRevision {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly generation: number };
  readonly status?: { readonly failure?: unknown };
}

interface FoundEvent {
  readonly type: string;
  readonly reason: string;
  readonly regarding: { readonly apiVersion: string; readonly kind: string };
}

/** Reads the end of a scenario that has begun so. */
export async function readEnding(cluster: TestCluster, before: Pick<Ending, 'begin' | 'killed'>): Promise<Ending> {
  const events = await list<FoundEvent>(cluster, 'event');
  const revisions = await list<FoundRevision>(cluster, 'revision');
  return { ...before, end: await readState(cluster), events: kindsOf(events), failed: failedAmong(revisions) };
}

function kindsOf(found: readonly FoundEvent[]): ReadonlySet<string> {
  const ours = found.filter(({ regarding }) => regarding.apiVersion?.startsWith('slipway.dev/'));
  return new Set(ours.map(({ type, reason, regarding }) => `${type} ${reason} ${regarding.kind}`));
}

function failedAmong(revisions: readonly FoundRevision[]): ReadonlyMap<string, number> {
  const failed = revisions.filter(({ status }) => status?.failure !== undefined);
  return new Map(failed.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.generation]));
}

/**
 * The respects in which an ending differs from the undisturbed one: contents, leftovers, objects that were created again
 * though the undisturbed run kept them, versions that were tried again though they had failed, and events that the
 * undisturbed run has none of. Pure.
 */
export function compareEndings(undisturbed: Ending, disturbed: Ending): readonly string[] {
  const mayBeReplaced = new Set(replaced(undisturbed.begin, undisturbed.end));
  const again = [
    ...replaced(disturbed.begin, disturbed.end),
    ...(disturbed.killed === undefined ? [] : replaced(disturbed.killed, disturbed.end)),
  ];
  return [
    ...differences(undisturbed.end, disturbed.end),
    ...[...new Set(again)].filter((name) => !mayBeReplaced.has(name)).map((name) => `${name}: it was created again`),
    ...triedAgain(undisturbed, disturbed).map((name) => `Revision ${name}: its version was tried again`),
    ...[...disturbed.events.difference(undisturbed.events)].map(
      (event) => `event ${event}: not in the undisturbed run`,
    ),
  ];
}

/** A trial makes a Revision active and archives it again; it may have been created active, or archived. */
function triedAgain(undisturbed: Ending, disturbed: Ending): readonly string[] {
  const isTriedAgain = ([name, generation]: [string, number]): boolean =>
    trialsOf(generation) > trialsOf(undisturbed.failed.get(name) ?? Infinity);
  return [...disturbed.failed].filter(isTriedAgain).map(([name]) => name);
}

function trialsOf(generation: number): number {
  return Math.floor(generation / 2);
}

/**
 * The differences that stay, of those that `look` finds each time; the error if the end can never be read, as while a manager
 * does not stop writing.
 */
export async function differencesThatStay(look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  let found: readonly string[] = [];
  const isSame = async (): Promise<boolean> => {
    found = await look();
    return found.length === 0;
  };
  return until('the end is the undisturbed one', isSame, { timeoutSeconds: SETTLES_WITHIN_SECONDS }).then(
    () => [],
    (error: Error) => (found.length > 0 ? found : [error.message]),
  );
}
