/** The summary of the plan of a Revision, and of its approval, as the status of the Revision has them. */
import * as z from 'zod';
import { integer, list, objectName, sha256, text, timestamp } from './fields.ts';
import type { Immutable } from './kind.ts';

/** Limits of the lists and texts; the whole plan is in the Secret. */
export const PLAN_LIMITS = { items: 10, rules: 16, text: 512 } as const;

/** More objects than a Revision may have: those of both sides. */
const MOST_OBJECTS = 100_000;

const count = (what: string) => integer(0, MOST_OBJECTS).describe(what);
const texts = (what: string) => list(text(PLAN_LIMITS.text), PLAN_LIMITS.items).optional().describe(what);

const ObjectCounts = z.object({
  created: count('Objects that are created.'),
  changed: count('Objects that are changed.'),
  replaced: count('Objects with a change that the API server accepts only if a person deletes them first.'),
  deleted: count('Objects that are deleted.'),
  kept: count('Objects that are not wanted any more, and stay.'),
  unchanged: count('Objects that stay as they are.'),
});

const PolicyHit = z.object({
  rule: text(63).describe('Name of the field of the upgrade policy.'),
  message: text(PLAN_LIMITS.text).describe('The fact that hits it.'),
});
export type PolicyHit = Immutable<z.infer<typeof PolicyHit>>;

export const PlanRecord = z.object({
  inputs: text(64).describe(
    'Hash of the objects, policy and approval that it was made for: with other ones it is made again.',
  ),
  hash: sha256()
    .optional()
    .describe('Hash of the plan; `spec.approve.plan` of the Subscription names it. Absent if no plan could be made.'),
  from: text(256).optional().describe('Version that is installed. Absent for a first installation.'),
  risk: z.enum(['none', 'low', 'high', 'irreversible']).optional().describe('The worst risk.'),
  reasons: texts('The worst risks, each with its fact.'),
  objects: ObjectCounts.optional().describe('How many objects are written.'),
  rightsGained: texts('The most dangerous rights that the operator gains, in words.'),
  moreRights: count('How many further rights it gains.').optional(),
  pointOfNoReturn: text(PLAN_LIMITS.text).optional().describe('Why there is no way back. Absent if there is one.'),
  unknown: texts('Facts that are not known; the plan concludes nothing from them.'),
  heldBy: list(PolicyHit, PLAN_LIMITS.rules)
    .optional()
    .describe('Rules of the upgrade policy that the plan hits. Absent if none is.'),
  missingRights: count('How many rights the ServiceAccount lacks; the Secret has them as YAML.').optional(),
  secret: objectName().optional().describe('Name of the Secret with the whole plan. Absent if it could not be stored.'),
  digest: sha256()
    .optional()
    .describe(
      'SHA-256 of the bytes at `plan` in that Secret, which others may write: a reader believes no other bytes. Absent if an older manager stored them.',
    ),
  omitted: text(PLAN_LIMITS.text)
    .optional()
    .describe('The parts that the Secret leaves out for their size. Absent if it has all.'),
  problem: text(PLAN_LIMITS.text).optional().describe('Why no plan could be made. Absent if one was.'),
});
export type PlanRecord = Immutable<z.infer<typeof PlanRecord>>;

export const ApprovedBy = z.object({
  place: z
    .enum(['Revision', 'Subscription', 'Policy'])
    .describe(
      'Revision: spec.approved was set. Subscription: spec.approve names the plan. Policy: the upgrade policy permits it.',
    ),
  manager: text(256).optional().describe('Field manager that wrote the approval, as the API server has recorded it.'),
  time: timestamp().optional().describe('When it was written.'),
  plan: sha256().optional().describe('Hash of the plan at that time.'),
});
export type ApprovedBy = Immutable<z.infer<typeof ApprovedBy>>;
