/**
 * Conditions as kstatus reads them: `Ready` says whether the object is as its spec asks, `Reconciling` and `Stalled`
 * exist only while they are true. Pure: the caller passes the time.
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
import * as z from 'zod';
import { redact } from './errors.ts';
import { integer, listByKey, text, timestamp } from './fields.ts';
import type { Immutable } from './kind.ts';
import { REASONS, type Reason } from './reasons.ts';

/** Every type of condition, with the question that it answers. */
export const CONDITIONS = {
  Ready: 'Is everything as the spec asks? The message is the one to read first.',
  Reconciling: 'True while work is under way; absent otherwise.',
  Stalled: 'True when nothing more happens until the spec, a catalog or the cluster changes; absent otherwise.',
  UpgradeFailed:
    'True from the failure of an upgrade until a newer version is installed or it is tried again; absent otherwise. The message has the cause and the remedy.',
  CustomResourcesLost:
    'True since a CRD of the operator was deleted, and its custom resources with it, until a person acknowledges that; absent otherwise.',
  Contested:
    'True while another program changes an object of the operator back each time after the manager has repaired it; absent otherwise.',
  UpgradeAvailable: 'Is there a newer version, and why is it not installed?',
  Adopted:
    'Is the operator taken over that spec.adopt names? If it is not, the message has the next step or the obstacle, with the remedy.',
  Deprecated: 'Does the catalog mark the package, the channel or the bundle in use as deprecated?',
} as const;

export type ConditionType = keyof typeof CONDITIONS;

/** Conditions that stay true until a person or a newer version ends them, even if the object is not reconciled meanwhile. */
export const LASTING_CONDITIONS = ['UpgradeFailed', 'CustomResourcesLost'] as const satisfies readonly ConditionType[];

/** Conditions that are removed as soon as they are no longer true. */
const ABNORMAL_TRUE: ReadonlySet<string> = new Set<ConditionType>([
  'Reconciling',
  'Stalled',
  'UpgradeFailed',
  'CustomResourcesLost',
  'Contested',
]);

const MAX_MESSAGE = 4096;

export const Condition = z
  .object({
    type: text(316).describe('Name of the judgement.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('The judgement.'),
    reason: text(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .describe('Why, as one word of the list of reasons.'),
    message: z.string().max(MAX_MESSAGE).describe('Why, in a sentence, with the remedy.'),
    observedGeneration: integer(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('The generation of the spec that was judged.'),
    lastTransitionTime: timestamp().describe('When the status changed last.'),
  })
  .describe('One judgement about the object.');
export type Condition = Immutable<z.infer<typeof Condition>>;

/** `status.conditions` of every kind. */
export const Conditions = listByKey(Condition, 16, ['type']).describe(
  'Judgements about the object, one for each type.',
);

/** The fields of every status that name the spec it describes. */
export const handled = {
  observedGeneration: integer(-1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The generation of the spec that this status is about; -1 before the first.'),
  lastHandledReconcileAt: z
    .string()
    .max(256)
    .optional()
    .describe('The last value of the annotation `slipway.dev/reconcile-requested-at` that was acted on.'),
};

/**
 * A status as a field of a kind. Its default makes an object that no controller has handled yet count as in progress
 * for programs that read kstatus.
 */
export function statusOf<Status extends z.ZodType>(status: Status): z.ZodOptional<Status> {
  return status.optional().meta({ default: { observedGeneration: -1 } });
}

/** A condition before it has a time. */
export interface NextCondition {
  readonly type: ConditionType;
  readonly status: Condition['status'];
  readonly reason: Reason;
  readonly message: string;
  readonly observedGeneration?: number;
}

/**
 * The conditions with `next` in place of the one of its type: the transition time stays if the status does. Conditions
 * that exist only while true are removed otherwise. The message is cleaned and cut.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  next: NextCondition,
  now: Date,
): readonly Condition[] {
  const others = (conditions ?? []).filter(({ type }) => type !== next.type);
  if (ABNORMAL_TRUE.has(next.type) && next.status !== 'True') return others;
  const before = findCondition(conditions, next.type);
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : formatTime(now);
  const changed = { ...next, message: redact(next.message).slice(0, MAX_MESSAGE), lastTransitionTime };
  return [...others, changed].sort((a, b) => rank(a.type) - rank(b.type));
}

/**
 * The conditions after a new judgement of the whole object: the given ones are set, those that exist only while true
 * are removed unless they are given, others stay.
 */
export function replaceConditions(
  conditions: readonly Condition[] | undefined,
  next: readonly NextCondition[],
  { observedGeneration, now }: { readonly observedGeneration: number; readonly now: Date },
): readonly Condition[] {
  const reported = new Set<string>(next.map(({ type }) => type));
  const kept = (conditions ?? []).filter(({ type }) => reported.has(type) || !ABNORMAL_TRUE.has(type));
  return next.reduce<readonly Condition[]>(
    (all, condition) => setCondition(all, { ...condition, observedGeneration }, now),
    kept,
  );
}

export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: ConditionType,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** An object with `status.conditions`, as far as is needed to judge it. */
export interface Judged {
  readonly metadata: { readonly generation?: number };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

/** Whether the object's status reports it as ready, for its current spec. */
export function isReady({ metadata, status }: Judged): boolean {
  const ready = findCondition(status?.conditions, 'Ready');
  const judged = ready?.observedGeneration ?? status?.observedGeneration;
  return ready?.status === 'True' && judged === metadata.generation;
}

/** Whether a word is one of the closed list of reasons. */
export function isReason(word: string): word is Reason {
  return Object.hasOwn(REASONS, word);
}

/** `2026-01-02T03:04:05Z`: seconds, as Kubernetes writes times. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

function rank(type: string): number {
  const place = Object.keys(CONDITIONS).indexOf(type);
  return place < 0 ? Number.MAX_SAFE_INTEGER : place;
}
