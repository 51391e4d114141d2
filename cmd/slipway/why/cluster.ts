/**
 * Answers from the status of a Subscription: the manager's decision, in its own words. It asks no catalog; a
 * version that the status does not mention is answered with the command that does.
 */
import { parseObject } from '../../../api/kind.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { Environment } from '../environment.ts';
import { listObjects } from '../admin/objects.ts';
import { withCluster } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { WhyAnswer } from '../../../report/why-answer.ts';
import { answerOf, type WhySubject } from '../../../report/why-status.ts';
import type { ClusterFlags } from './flags.ts';

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
  const listed = await listObjects(client, SUBSCRIPTION, { namespace }, signal);
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
