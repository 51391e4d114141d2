/** The person behind a request, as the API server knows them: every read and every act is made in this name. Pure. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { compareText } from '../../api/compare-text.ts';

/** A text that arrives in a header as it is here: readers of headers strip white space, and some do so by Unicode. */
const TEXT = z
  .string()
  .max(1024)
  // The replacement character stands for bytes that were no text, so that different names would be one.
  .regex(/^[^\p{Cc}\uFFFD]*$/u, 'must have no control characters')
  .refine((text) => text === text.trim() && text.isWellFormed(), 'must neither begin nor end with white space');

const NAME = TEXT.min(1);

/** Bounds: a person travels in a cookie, and in the headers of every request to the API server. */
const PersonShape = z.strictObject({
  user: NAME,
  uid: NAME.optional(),
  groups: z.array(NAME).max(200),
  extra: z.record(z.string().min(1).max(256), z.array(TEXT).max(50)).optional(),
});

export interface Person {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The person that a value describes; undefined if it describes none, or is out of bounds. */
export function parsePerson(value: unknown): Person | undefined {
  const parsed = PersonShape.safeParse(value);
  // Absent fields are absent, and not undefined: the values come from JSON, or are built so.
  return parsed.success ? (parsed.data as Person) : undefined;
}

/** Users, groups and accounts that Kubernetes itself names. */
const RESERVED = 'system:';

/**
 * Names that an issuer or a proxy may not give: those of the cluster's own parts, which would make any person an
 * administrator. Empty if there are none.
 */
export function reservedNames({ user, groups }: Person): readonly string[] {
  return [user, ...groups].filter((name) => name.trim().startsWith(RESERVED));
}

/** The same text for the same rights: identity decides which answers and which computed views may be shared. */
export function keyOfPerson({ user, uid = '', groups, extra = {} }: Person): string {
  const extras = Object.entries(extra).toSorted(([one], [other]) => compareText(one, other));
  const text = JSON.stringify([user, uid, [...groups].toSorted(), extras]);
  return createHash('sha256').update(text).digest('base64url');
}
