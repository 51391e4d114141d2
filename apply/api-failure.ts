/** Classifies errors of the API server beyond api/api-answers.ts, and turns them into failures that people read. */
import { answerOf } from '../api/api-answers.ts';
import { ReasonedError, type Retry } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';

/** A failure as data: what a condition, an event or a report shows. */
export interface Failure {
  readonly reason: Reason;
  readonly retry: Retry;
  readonly message: string;
  readonly hint?: string;
  /** For a collision with an object that names another Subscription. */
  readonly holder?: Holder;
  /** Present if another Subscription decides when it ends: the wait is no fault of the version. */
  readonly untimed?: true;
}

/** An existing object and the owner that its annotations name. Anyone who may write the object can have forged them. */
export interface Holder {
  /** `CustomResourceDefinition widgets.example.com`. */
  readonly object: string;
  readonly uid: string | undefined;
  /** `namespace/name`. */
  readonly subscription: string;
}

/**
 * Whether the object cannot be server-side applied, though it may well be created: an unknown field, or two items
 * of a list with one key, such as an environment variable given twice.
 */
export function isUnmergeable(error: unknown): boolean {
  return answerOf(error)?.code === 500 && /failed to create typed patch object/.test((error as Error).message);
}

/** Whether the API server could not convert a stored object, since the conversion webhook of its CRD failed. */
export function isConversionFailure(error: unknown): boolean {
  return CONVERSION.test((error as Error).message);
}

/**
 * Whether a request failed because the API server did not answer or is overloaded, which says nothing of the objects. The
 * failure of a conversion webhook, which the API server reports alike, does.
 */
export function isOutage(failure: Pick<Failure, 'reason' | 'message'>): boolean {
  return failure.reason === 'ApiUnavailable' && !CONVERSION.test(failure.message);
}

/** Start of the API server's message about a conversion webhook. */
const CONVERSION = /conversion webhook for /;

/** Whether the API server answered at all; false for connection errors and timeouts. */
export function isAnswer(error: unknown): boolean {
  return (answerOf(error)?.code ?? 0) > 0;
}

/** Whether the API server or a policy rejected the object, so that sending it again would not help. */
export function isRefusal(error: unknown): boolean {
  return [400, 403, 409, 422].includes(answerOf(error)?.code ?? 0);
}

/** Whether a dry run was refused because an admission webhook has side effects; the real write may still succeed. */
export function isDryRunUnsupported(error: unknown): boolean {
  return answerOf(error)?.code === 400 && /does not support dry run/i.test((error as Error).message);
}

/**
 * The error as data. `subject` opens the message unless the message names it already. A refusal for missing rights
 * keeps the server's sentence, which names verb, resource and account; an invalid object names its fields. An error
 * without a reason is a defect and is thrown again.
 */
export function explainFailure(error: unknown, subject: string): Failure {
  if (!(error instanceof ReasonedError)) throw error;
  const { reason, retry } = error;
  const hint = hintFor(error) ?? error.hint;
  const message = error.message.includes(subject) ? error.message : `${subject}: ${error.message}`;
  return { reason, retry, message, ...(hint !== undefined && { hint }) };
}

function hintFor(error: ReasonedError): string | undefined {
  if (error.reason === 'Forbidden') return hintForForbidden(error);
  const fields = answerOf(error)?.causes?.flatMap(({ field }) => (field === undefined ? [] : [field])) ?? [];
  return fields.length === 0 ? undefined : `Check ${[...new Set(fields)].slice(0, 5).join(', ')}`;
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping */
function hintForForbidden({ message }: ReasonedError): string | undefined {
  if (/exceeded quota/.test(message)) return 'Raise the quota of the namespace, or ask for less in spec.config';
  if (/attempting to grant RBAC permissions not currently held/.test(message)) {
    return 'The account that applies must hold the rights that it grants, or the verbs escalate and bind';
  }
  const rule = parseMissingRule(message);
  return rule === undefined ? undefined : `Grant ${rule.account} the verb ${rule.verb} on ${rule.resource}`;
}

/** The RBAC rule that a refusal asks for: `User "x" cannot create resource "configmaps" in API group "" …`. */
export function parseMissingRule(
  message: string,
): { readonly account: string; readonly verb: string; readonly resource: string } | undefined {
  const match = /User "([^"]{1,300})" cannot (\w{1,30}) resource "([^"]{1,300})" in API group "([^"]{0,300})"/.exec(
    message,
  );
  if (match === null) return undefined;
  const [, account = '', verb = '', resource = '', group = ''] = match;
  return { account, verb, resource: group === '' ? resource : `${resource}.${group}` };
}
