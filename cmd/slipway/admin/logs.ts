/** `slipway logs`: the logs of an operator's Pods, or of the manager. */
import { activeOf } from '../../../api/revision.ts';
import { groupKind, type KubeObject } from '../../../api/object.ts';
import { refOfEntry } from '../../../apply/inventory.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { withCluster, type Connection, type KubeFlags } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { MANAGER } from '../../../report/manager.ts';
import { LogLines, withOrigin } from './log-lines.ts';
import { containersOf, type LoggedContainer } from './logged-containers.ts';
import { needSubscription, revisionsOf } from './objects.ts';
import { formatStreamed } from './print.ts';
import { podsOf } from './tree.ts';

export interface LogFlags extends KubeFlags, OutputFlags {
  readonly manager?: boolean;
  readonly systemNamespace: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tail: string;
}

export async function logs(environment: Environment, text: string | undefined, flags: LogFlags): Promise<Outcome> {
  if ((text === undefined) !== (flags.manager === true))
    throw invalidInput('logs are those of a Subscription or of the manager', 'Name a Subscription, or --manager');
  if (text === undefined && flags.namespace !== undefined)
    throw invalidInput('--namespace is that of a Subscription', 'Name that of the manager by --system-namespace');
  if (!/^\d{1,7}$/.test(flags.tail)) throw invalidInput(`--tail ${JSON.stringify(flags.tail)} is no number`, 'Write --tail 100'); // prettier-ignore
  return withCluster(environment, flags, async (connection) => {
    const { signal } = environment;
    const deployments =
      text === undefined
        ? await managerOf(connection, flags.systemNamespace, signal)
        : await deploymentsOf(connection, text, signal);
    const found = await Promise.all(deployments.map((one) => podsOf(connection.client, one, signal)));
    const containers = found.flatMap(({ pods }) => pods.flatMap(containersOf));
    if (containers.length === 0) throw withoutLogs(found.flatMap(({ pods }) => pods).length, text);
    const printed = await Promise.all(containers.map((one) => print(environment, connection, one, flags)));
    return { data: { containers }, text: '', isPrinted: true, exitCode: printed.includes(true) ? 0 : 1 };
  });
}

/** Pods without a log may be pulling the images of their containers, which the tree shows. */
function withoutLogs(pods: number, text: string | undefined): Error {
  const hint = text === undefined ? 'See `slipway doctor`' : `See \`slipway tree ${text}\``;
  return invalidInput(
    pods === 0 ? 'there is no Pod whose log can be read' : 'no container has begun, so that there is no log yet',
    hint,
  );
}

/** The Deployments in the inventory of the active Revision. */
async function deploymentsOf(
  connection: Connection,
  text: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const subscription = await needSubscription(connection, text, signal);
  const revisions = await revisionsOf(connection.client, subscription, signal);
  const active = activeOf(revisions);
  const refs = (active?.status?.inventory ?? []).map(refOfEntry).filter((ref) => groupKind(ref) === 'Deployment.apps');
  const found = await Promise.all(refs.map((ref) => connection.client.get(ref, signal)));
  return found.filter((object) => object !== undefined);
}

async function managerOf(
  { client }: Connection,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const found = await client.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: MANAGER }, signal);
  if (found !== undefined) return [found];
  throw invalidInput(
    `namespace ${namespace} has no Deployment ${MANAGER}`,
    'Name the namespace of the manager by --system-namespace',
  );
}

/** Prints the log of one container, line by line, with its origin. Whether it can be read. */
async function print(
  { print: write, complain, signal }: Environment,
  { transport }: Connection,
  { namespace, pod, container }: LoggedContainer,
  { follow, previous, tail, output }: LogFlags,
): Promise<boolean> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
  const query = {
    container,
    tailLines: tail,
    ...(follow === true && { follow }),
    ...(previous === true && { previous }),
  };
  const lines = new LogLines(
    (line) => formatStreamed({ namespace, pod, container, line }, output) ?? withOrigin(`${pod}/${container}`, line),
  );
  try {
    const subject = `read the log of Pod ${namespace}/${pod}`;
    const stream = await transport.stream({ method: 'GET', path, query, headers: { accept: '*/*' }, subject, signal });
    for await (const chunk of stream.chunks) write(lines.add(chunk));
    write(lines.end());
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    complain(`slipway: ${cleanLine(`the log of container ${container} of Pod ${namespace}/${pod} cannot be read: ${(error as Error).message}`)}\n`); // prettier-ignore
    return false;
  }
}
