/** Adds the cause to the judgement of a run: a container that fails, or an account that does not exist. */
import { ReasonedError } from '../../../api/errors.ts';
import { findMissingAccount } from '../account.ts';
import { explainUnready, secondsToStart } from '../explain-unready.ts';
import { deadlineSecondsOf, secondsOfWork, type Judgement } from '../judgement.ts';
import { resultOf, type Run } from '../run.ts';

/** The judgement of the steps before, with its cause. */
export async function explain(run: Run, judgement: Judgement): Promise<Judgement> {
  const explained = startSecondsOf(run) > 0 ? judgement : await explainWorkloads(run, judgement);
  const { reason } = explained;
  const { clients, facts, signal } = run;
  const missing = await findMissingAccount(clients.cluster, facts, { reason, signal });
  return missing === undefined ? explained : withCause(explained, missing);
}

/** The error that ended a run before its objects were applied, or its cause. */
export async function explainError({ clients, facts, signal }: Run, error: ReasonedError): Promise<ReasonedError> {
  return (await findMissingAccount(clients.cluster, facts, { reason: error.reason, signal })) ?? error;
}

/** Seconds for which a Deployment is left to start before its Pods are read. */
export function startSecondsOf(run: Run): number {
  const deadlineSeconds = deadlineSecondsOf(run.facts.subscription.spec.onFailure);
  const observed = run.watched.get.bind(run.watched);
  return secondsToStart(resultOf(run, 'unready'), { observed, deadlineSeconds, now: run.now() });
}

function explainWorkloads(run: Run, judgement: Judgement): Promise<Judgement> {
  const { facts, clients, now, signal } = run;
  return explainUnready(clients.acting, judgement, {
    unready: resultOf(run, 'unready'),
    workedSeconds: secondsOfWork(facts.revision.status, now()) ?? 0,
    deadlineSeconds: deadlineSecondsOf(facts.subscription.spec.onFailure),
    read: clients.read,
    signal,
  });
}

/** The same judgement with another cause, in full and in short. */
function withCause({ brief: _brief, ...judgement }: Judgement, error: ReasonedError): Judgement {
  return { ...judgement, reason: error.reason, message: error.describe() };
}
