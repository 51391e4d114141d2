/** Judges a webhook that does not answer, and reports its Pod and the last lines of the Pod's log. */
import { describeRef } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { readLastLines, withLastLines, type ReadText } from '../last-lines.ts';
import { NO_FAULT, type Judgement } from '../judgement.ts';
import { addressOf } from './called-webhooks.ts';
import type { Silence } from './probe.ts';

/**
 * If the API server has not called the webhook by then, treat it as answered: something else in the cluster intercepts
 * the probe.
 */
const NOT_ASKED_SECONDS = 20;
/** Fail the upgrade after this long once the old Pods are gone, so that the rollback can begin. */
const HARM_SECONDS = 60;
/** How often the check is repeated: no watch reports when a webhook begins to answer. */
const [SOONEST_SECONDS, LATEST_SECONDS] = [2, 30];

export interface SilenceFacts {
  readonly since: Date;
  readonly now: Date;
  /** Whether the old, working Pods have been replaced. */
  readonly isHarm: boolean;
}

/** The setting that skips the check. */
const WAY_OUT = 'If it can answer only later, set spec.webhookSafety of the Subscription to None';

/** Working at first, since a program may listen later than its Pod is ready; soon Failed if the old Pods are gone. */
export function judgeSilence({ question, because, pod }: Silence, { since, now, isHarm }: SilenceFacts): Judgement {
  const seconds = (now.getTime() - since.getTime()) / 1000;
  const askAgainSeconds = Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, seconds / 10));
  if (because === undefined) {
    if (seconds >= NOT_ASKED_SECONDS) return NO_FAULT;
    const message = 'The API server is about to ask whether the webhooks answer';
    return { state: 'Working', reason: 'Progressing', message, askAgainSeconds };
  }
  const { webhook } = question;
  const who = pod === undefined ? 'no Pod answers' : `Pod ${pod.metadata.name}, which is ready, does not answer`;
  const message = `${describeRef(webhook.caller)}: ${who} when the API server calls ${addressOf(webhook)}: ${because}. ${WAY_OUT}`;
  if (isHarm && seconds >= HARM_SECONDS) return { state: 'Failed', reason: 'WebhookSilent', message };
  return { state: 'Working', reason: 'WebhookSilent', message, askAgainSeconds };
}

/** The judgement with the last lines of the container that should have answered. */
export async function describeSilence(
  judgement: Judgement,
  silence: Silence | undefined,
  { read, signal }: { readonly read: ReadText; readonly signal: AbortSignal },
): Promise<Judgement> {
  const pod = silence?.pod;
  const container = textOf(listOf(fieldsOf(pod?.['spec'])['containers'])[0]?.['name']);
  if (pod === undefined || container === '' || judgement.reason !== 'WebhookSilent') return judgement;
  const { name, namespace = '' } = pod.metadata;
  const problem = { kind: 'NotReady', pod: name, container, message: judgement.message } as const;
  return {
    ...judgement,
    message: withLastLines(judgement.message, await readLastLines(read, problem, { namespace, signal })),
  };
}
