/** The objects that an uninstall deletes and those that stay, in counts. Pure. */
import { describeRef, groupKind, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import type { Revision } from '../api/revision.ts';
import type { Subscription } from '../api/subscription.ts';
import { describeSamples, type CustomResourceCounts } from '../apply/custom-resources.ts';
import { mergeInventories, type InventoryEntry } from '../apply/inventory.ts';
import { planUninstall, type CustomResourcePolicy, type UninstallPlan } from '../apply/plan-uninstall.ts';
import { count } from './count.ts';

/** The objects of all Revisions: archived ones have handed theirs over, except in the middle of a roll-out. */
export function inventoryOf(revisions: readonly Revision[]): readonly InventoryEntry[] {
  return revisions.reduce<readonly InventoryEntry[]>(
    (all, { status }) => mergeInventories(all, status?.inventory ?? []),
    [],
  );
}

export interface Preview {
  /** `Held`: the operator is on its way back to OLM. */
  readonly state: UninstallPlan['state'] | 'Held';
  readonly policy: CustomResourcePolicy;
  /** In the order of the deletions. */
  readonly steps: readonly { readonly name: string; readonly objects: number; readonly kinds: readonly string[] }[];
  /** Custom resources that are deleted with their CRDs. */
  readonly customResources: readonly { readonly crd: string; readonly objects: string }[];
  readonly stays: readonly string[];
  /** Facts that are not known, so that the manager would delete nothing yet. */
  readonly doubts: readonly string[];
  /** Rights that OLM had given the operator, if any: they are deleted too. */
  readonly givenByOlm?: readonly string[];
}

export interface PreviewFacts {
  readonly inventory: readonly InventoryEntry[];
  readonly counts: CustomResourceCounts;
  /** Instead of that of the spec. */
  readonly policy?: CustomResourcePolicy | undefined;
  /** Absent if the backups of adoptions were not read. */
  readonly givenByOlm?: GivenByOlm;
}

/** Rights that OLM had given an operator before Slipway took it over, by their names. */
export interface GivenByOlm {
  readonly deleted: readonly string[];
  /** Sentences. */
  readonly stays: readonly string[];
  /** Why nothing is deleted now. */
  readonly held?: string;
}

/** The rights of one operator that OLM had given it, as an uninstall judges them. */
export interface JudgedRights {
  readonly due: readonly KubeObject[];
  readonly kept: readonly { readonly ref: ObjectRef; readonly why: string; readonly named?: string }[];
}

/** The rights of all operators that a Subscription took over from OLM. */
export interface JudgedGiven {
  readonly rights: readonly JudgedRights[];
  /** Why nothing is deleted now. */
  readonly held?: string;
}

/** For a person who has read them, so that all names are given. */
export function namesOfGiven({ rights, held }: JudgedGiven): GivenByOlm {
  return {
    ...(held !== undefined && { held }),
    deleted: rights.flatMap(({ due }) => due.map((object) => describeRef(refOf(object)))),
    stays: rights.flatMap(({ kept }) =>
      kept.map(({ ref, why, named = why }) => `${describeRef(ref)}, which OLM had given the operator: ${named}`),
    ),
  };
}

/** The plan by which the manager uninstalls, in counts. */
export function previewOf({ spec }: Subscription, facts: PreviewFacts): Preview {
  const { inventory, counts, policy = spec.uninstall.customResources } = facts;
  const { held } = facts.givenByOlm ?? {};
  if (held !== undefined) return { state: 'Held', policy, steps: [], customResources: [], stays: [], doubts: [held] };
  const { state, steps, stays, doubts = [] } = planUninstall(inventory, counts, policy);
  // As long as nothing is deleted, rights are not.
  const givenByOlm = state === 'Ready' ? facts.givenByOlm : undefined;
  const emptied = new Set(
    steps.flatMap(({ resources }) => resources.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)),
  );
  return {
    state,
    policy,
    steps: steps
      .filter(({ entries }) => entries.length > 0)
      .map(({ name, entries }) => ({ name, objects: entries.length, kinds: kindsOf(entries) })),
    customResources: [...counts].flatMap(([crd, found]) =>
      emptied.has(`${found.resource.apiVersion} ${found.resource.kind}`)
        ? [{ crd, objects: `${String(found.count)} (${describeSamples(found)})` }]
        : [],
    ),
    stays: [...stays.map(({ message }) => message), ...(givenByOlm?.stays ?? [])],
    doubts: doubts.map(({ message }) => message),
    ...(givenByOlm !== undefined && givenByOlm.deleted.length > 0 && { givenByOlm: givenByOlm.deleted }),
  };
}

/** `2 ConfigMap`, in the order of their names. */
function kindsOf(entries: readonly InventoryEntry[]): readonly string[] {
  const grouped = Map.groupBy(entries, (entry) => groupKind(entry));
  return [...grouped].map(([kind, all]) => (all.length === 1 ? describeRef(all[0] as InventoryEntry) : `${all.length} ${kind}`)).sort(); // prettier-ignore
}

/** The sentences of a preview, without its steps. */
export function linesOfPreview(preview: Preview): readonly string[] {
  const { state, policy, steps, customResources, stays, doubts, givenByOlm = [] } = preview;
  const total = steps.reduce((sum, { objects }) => sum + objects, 0);
  const deleted = customResources.map(({ crd, objects }) => `Every object of ${crd} is deleted first: ${objects}`);
  return [
    state === 'Ready' ? `An uninstall deletes ${count(total, 'object')}; custom resources: ${policy}` : HELD[state],
    ...doubts,
    ...deleted,
    ...givenByOlm.map((name) => `Deleted at last, as OLM had given it to the operator: ${name}`),
    ...(state === 'Ready' && stays.length === 0 ? ['No object stays'] : stays.map((message) => `Stays: ${message}`)),
  ];
}

/** The sentence for an uninstall that leaves every object. */
export function describeOrphaned(objects: number): string {
  return `Every object stays (${count(objects, 'object')}), and is not managed any more`;
}

const HELD = {
  Blocked: 'An uninstall deletes nothing until the custom resources are gone, by the policy Block',
  Held: 'An uninstall deletes nothing now',
  Unknown: 'An uninstall deletes nothing until it is known whether custom resources exist',
} as const;
