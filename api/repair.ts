/** Status fields about objects that other programs or users changed or deleted, shared by Subscription and Revision. */
import * as z from 'zod';
import { integer, list, text, timestamp } from './fields.ts';
import type { Immutable } from './kind.ts';

/** Limit of remembered losses; the newest are kept. */
export const MOST_LOSSES = 20;

export const LastRepair = z.object({
  time: timestamp().describe('When the manager repaired it.'),
  objects: integer(1, 4000).describe('How many objects the manager repaired at that time.'),
  message: z
    .string()
    .max(1024)
    .describe('Which objects, which of their fields, and the field manager that had changed them, as far as known.'),
});
export type LastRepair = Immutable<z.infer<typeof LastRepair>>;

const Loss = z.object({
  crd: text(253).describe('Name of the CustomResourceDefinition.'),
  uid: text(64).describe('uid of the one that was deleted.'),
  since: timestamp().describe('When the loss was noticed.'),
  message: z.string().max(1024).describe('Known facts about the custom resources that were lost.'),
});
export type Loss = Immutable<z.infer<typeof Loss>>;

export const Losses = list(Loss, MOST_LOSSES);
