/** Judges a webhook that does not answer, and says of which Pod that is and what it wrote last. */
import { describeRef } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../../apply/untyped.ts';
import { readLastLines, withLastLines, type ReadText } from '../last-lines.ts';
import { WORKS, type Judgement } from '../summarize.ts';
import { addressOf } from './called-webhooks.ts';
import type { Silence } from './probe.ts';

/** After so long what the API server has not even asked is taken for answered: something of the cluster comes before. */
const NOT_ASKED_SECONDS = 20;
/** After so long an upgrade has failed whose Pods have replaced those that worked: everybody waits for the way back. */
const HARM_SECONDS = 60;
/** How often it is asked: no watch tells when a webhook begins to answer. */
const [SOONEST_SECONDS, LATEST_SECONDS] = [2, 30];

export interface SilenceFacts {
  readonly since: Date;
  readonly now: Date;
  /** Whether what worked before has been replaced. */
  readonly isHarm: boolean;
}

/** The setting that does without answers. */
const WAY_OUT = 'If it can answer only later, set spec.webhookSafety of the Subscription to None';

/** Work under way, as a program may listen later than its Pod is ready; but not for long where somebody is harmed. */
export function judgeSilence({ question, because, pod }: Silence, { since, now, isHarm }: SilenceFacts): Judgement {
  const seconds = (now.getTime() - since.getTime()) / 1000;
  const askAgainSeconds = Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, seconds / 10));
  if (because === undefined) {
    if (seconds >= NOT_ASKED_SECONDS) return WORKS;
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
  const problem = { kind: 'NotReady', blame: 'version', pod: name, container, message: judgement.message } as const;
  return {
    ...judgement,
    message: withLastLines(judgement.message, await readLastLines(read, problem, { namespace, signal })),
  };
}
