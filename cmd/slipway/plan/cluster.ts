/** Gathers the input of a plan from the cluster: the Revisions of a Subscription with their manifests, and facts. */
import { parseObject } from '../../../api/kind.ts';
import { API_VERSION } from '../../../api/names.ts';
import { REVISION, type Revision } from '../../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import { loadManifests } from '../../../controllers/manifests.ts';
import { ownerUidOf } from '../../../controllers/owner.ts';
import { propertiesOf } from '../../../controllers/revision-properties.ts';
import { prepareFor } from '../../../controllers/revision/desired-objects.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport } from '../../../kube/transport/transport.ts';
import type { PlannedSide } from '../../../plan/input.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from '../input/invalid.ts';
import { kubeconfigsOf } from '../why/cluster.ts';
import { gatherFacts } from './facts.ts';
import type { PlanFlags } from './flags.ts';
import type { Planned } from './planned.ts';

/**
 * The plan of the Revision that comes next, or of an uninstall. @throws ReasonedError InputInvalid, KubeconfigInvalid,
 * ManifestsMissing, and errors of the API server
 */
export async function planFromCluster(environment: Environment, subject: string, flags: PlanFlags): Promise<Planned> {
  const key = parseKey(subject);
  const { config } = await loadKubeconfig(kubeconfigsOf(environment, flags.kubeconfig), flags);
  const transport = createTransport({ proxyEnv: environment.variables, ...config }, { userAgent: 'slipway-cli' });
  try {
    return await planOf(createClient(transport), key, flags, environment.signal);
  } finally {
    transport.close();
  }
}

interface Key {
  readonly namespace: string;
  readonly name: string;
}

function parseKey(text: string): Key {
  const [namespace = '', name = '', ...more] = text.split('/');
  if (namespace === '' || name === '' || more.length > 0)
    throw invalidInput(`${JSON.stringify(text)} does not name a Subscription`, 'Write NAMESPACE/NAME');
  return { namespace, name };
}

async function planOf(client: Client, key: Key, flags: PlanFlags, signal: AbortSignal): Promise<Planned> {
  const subscription = await readOne(client, key, signal);
  const revisions = await revisionsOf(client, subscription, signal);
  const active = revisions.find(({ spec }) => spec.state === 'Active');
  const next = flags.uninstall === true ? undefined : nextOf(subscription, revisions);
  const { package: packageName, crdUpgradeSafety, uninstall } = subscription.spec;
  const about = { subscription: `${key.namespace}/${key.name}`, package: packageName };
  if (flags.uninstall === true ? active === undefined : next === undefined)
    return { ...about, message: idleMessage(active, flags), inputs: [] };
  const [from, to] = [await sideOf(client, active), await sideOf(client, next)];
  const input = {
    ...about,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    waivers: crdUpgradeSafety.waivers ?? [],
    customResources: uninstall.customResources,
  };
  const facts = await gatherFacts(client, { input, subscription, inventory: active?.status?.inventory ?? [], signal });
  return {
    ...about,
    message: next === undefined ? 'an uninstall' : `${next.spec.bundle} comes next`,
    inputs: [{ ...input, facts }],
  };
}

async function readOne(client: Client, { namespace, name }: Key, signal: AbortSignal): Promise<Subscription> {
  const found = await client.get({ apiVersion: API_VERSION, kind: SUBSCRIPTION.kind, namespace, name }, signal);
  if (found === undefined)
    throw invalidInput(
      `there is no Subscription ${namespace}/${name}`,
      'List them by kubectl get subscriptions.slipway.dev -A',
    );
  return parseObject(SUBSCRIPTION, found);
}

/** The Revisions that the Subscription controls; any other of that name belongs to an earlier one. */
async function revisionsOf(
  client: Client,
  { metadata }: Subscription,
  signal: AbortSignal,
): Promise<readonly Revision[]> {
  const { namespace = '', uid } = metadata;
  const listed = await client.list({ apiVersion: API_VERSION, kind: REVISION.kind }, { namespace }, signal);
  return listed.filter((object) => ownerUidOf(object) === uid).map((object) => parseObject(REVISION, object));
}

/** The Revision that the manager is about to apply, if it has made one. */
function nextOf({ status }: Subscription, revisions: readonly Revision[]): Revision | undefined {
  const name = status?.pending?.revision;
  const found = revisions.find(({ metadata }) => metadata.name === name);
  return found?.spec.state === 'Active' ? undefined : found;
}

function idleMessage(active: Revision | undefined, { uninstall }: PlanFlags): string {
  if (uninstall === true) return 'nothing is installed';
  const installed = active === undefined ? 'nothing is installed' : `${active.spec.bundle} is installed`;
  return `${installed}, and the manager has prepared no other Revision; slipway plan --file plans from a catalog`;
}

async function sideOf(client: Client, revision: Revision | undefined): Promise<PlannedSide | undefined> {
  if (revision === undefined) return undefined;
  const { bundle, version, image } = revision.spec;
  return {
    bundle,
    version,
    image,
    objects: prepareObjects(await loadManifests(client, revision), prepareFor(revision)),
    properties: propertiesOf(revision),
  };
}
