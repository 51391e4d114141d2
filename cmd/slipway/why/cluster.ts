/**
 * Answers from the status of a Subscription: the manager's decision, in its own words. It asks no catalog; a
 * version that the status does not mention is answered with the command that does.
 */
import { findCondition } from '../../../api/conditions.ts';
import { parseObject } from '../../../api/kind.ts';
import { API_VERSION } from '../../../api/names.ts';
import { SUBSCRIPTION, type Subscription, type SubscriptionStatus } from '../../../api/subscription.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import { invalidInput } from '../input/invalid.ts';
import type { AnsweredRefusal, WhyAnswer, WhyVerdict, Standing } from './answer.ts';
import type { ClusterFlags, WhySubject } from './flags.ts';

/**
 * The answer that the status gives. @throws ReasonedError InputInvalid, KubeconfigInvalid, and errors of the API server
 */
export async function answerFromCluster(
  environment: Environment,
  subject: WhySubject,
  flags: ClusterFlags,
): Promise<WhyAnswer> {
  return withCluster(
    environment,
    flags,
    async ({ client, namespace }) => {
      const subscription = await findSubscription(client, subject, { ...flags, namespace, signal: environment.signal });
      return answerOf(subject, subscription);
    },
    'Name a catalog by --catalog, or a kubeconfig file by --kubeconfig',
  );
}

interface ClusterPlace extends ClusterFlags {
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** The one that is named, else the only one for the package. @throws ReasonedError InputInvalid, InvalidSpec */
async function findSubscription(
  client: Client,
  subject: WhySubject,
  { subscription: name, namespace, signal }: ClusterPlace,
): Promise<Subscription> {
  const { kind } = SUBSCRIPTION;
  const listed = await client.list({ apiVersion: API_VERSION, kind }, { namespace }, signal);
  const all = listed.map((object) => parseObject(SUBSCRIPTION, object));
  const meant = all.filter(
    ({ metadata, spec }) => spec.package === subject.package && (name === undefined || metadata.name === name),
  );
  const [first, ...others] = meant;
  if (first === undefined) {
    const called = name === undefined ? '' : ` ${JSON.stringify(name)}`;
    throw invalidInput(
      `namespace ${JSON.stringify(namespace)} has no Subscription${called} for package ${JSON.stringify(subject.package)}`,
      'Name the namespace by --namespace, or ask a catalog itself by --catalog',
    );
  }
  if (others.length > 0)
    throw invalidInput(
      `namespace ${JSON.stringify(namespace)} has several Subscriptions for package ${JSON.stringify(subject.package)}`,
      `Name one by --subscription: ${meant.map(({ metadata }) => metadata.name).join(', ')}`,
    );
  return first;
}

function answerOf(subject: WhySubject, { metadata, status = {} }: Subscription): WhyAnswer {
  const { installed, available, path = [] } = status;
  const decision = decisionOf(status);
  return {
    ...subject,
    subscription: { namespace: metadata.namespace ?? '', name: metadata.name },
    ...(subject.version === undefined
      ? aboutPackage(status, decision.message)
      : aboutVersion(status, subject.version, decision.message)),
    ...decision,
    ...(installed !== undefined && { installed: { bundle: installed.bundle, version: installed.version } }),
    ...(available !== undefined && { available }),
    path: path.map((version) => ({ version })),
    dependencies: [],
    deprecations: deprecationsOf(status),
    refused: refusedOf(status),
  };
}

/** A present fault comes before a possible next step, and a failed upgrade before one that may be tried. */
function decisionOf({ conditions }: SubscriptionStatus): Pick<WhyAnswer, 'reason' | 'message'> {
  const ready = findCondition(conditions, 'Ready');
  const told = ready?.status === 'True' ? (upgradeIn(conditions) ?? ready) : ready;
  return told === undefined
    ? { reason: 'Progressing', message: 'the manager has not reconciled it yet' }
    : { reason: told.reason, message: told.message };
}

function upgradeIn(conditions: SubscriptionStatus['conditions']): ReturnType<typeof findCondition> {
  return findCondition(conditions, 'UpgradeFailed') ?? findCondition(conditions, 'UpgradeAvailable');
}

function deprecationsOf({ conditions }: SubscriptionStatus): readonly string[] {
  const told = findCondition(conditions, 'Deprecated');
  return told?.status === 'True' ? [told.message] : [];
}

function aboutPackage(status: SubscriptionStatus, message: string): WhyVerdict {
  const chosen = chosenIn(status) !== undefined;
  return { chosen, causes: chosen ? [] : [message], changes: [] };
}

/** The resolver's choice; none while it has no answer, although the status shows a version as available. */
function chosenIn({ available, conditions }: SubscriptionStatus): SubscriptionStatus['available'] {
  return findCondition(conditions, 'UpgradeAvailable')?.status === 'Unknown' ? undefined : available;
}

function aboutVersion(status: SubscriptionStatus, asked: string, message: string): WhyVerdict {
  const { installed, pending, path = [], quarantined = [], refused = [] } = status;
  const available = chosenIn(status);
  const isMeant = (one: { readonly version: string; readonly bundle?: string } | undefined): boolean =>
    one?.version === asked || one?.bundle === asked;
  const refuse = (standing: Standing, causes: readonly string[], changes: readonly string[] = []): WhyVerdict => ({
    chosen: false,
    standing,
    causes,
    changes,
  });
  const failed = quarantined.find(isMeant);
  if (failed !== undefined)
    return refuse(
      'Refused',
      [`${failed.bundle} failed before and is quarantined: ${failed.message}`],
      [`Release ${failed.bundle} from quarantine by asking for a reconcile`],
    );
  if (isMeant(available)) return { chosen: true, standing: 'Chosen', causes: [], changes: [] };
  if (isMeant(pending) || path.includes(asked)) return { chosen: true, standing: 'OnTheWay', causes: [], changes: [] };
  if (installed !== undefined && isMeant(installed))
    return refuse('Installed', [
      available === undefined ? message : `${installed.bundle} is installed, and ${available.bundle} follows it`,
    ]);
  const causes = refused.filter(isMeant).map((one) => `${one.version} is not chosen: ${one.message}`);
  return causes.length > 0
    ? refuse('Refused', causes)
    : refuse('NotMentioned', [
        'the status of the Subscription does not mention it: it leaves out lower versions and versions that no catalog has; --catalog asks a catalog itself',
      ]);
}

function refusedOf({ refused = [] }: SubscriptionStatus): readonly AnsweredRefusal[] {
  return refused.map(({ version, reason, message }) => ({ version, reason, message }));
}
