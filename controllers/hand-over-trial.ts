/**
 * The Deployments whose Pods a hand-over from OLM would replace, and why: the API server is asked, by dry runs, for each
 * Deployment as Slipway would apply it. The command line and the manager ask before anything is changed.
 */
import { ANNOTATION } from '../api/names.ts';
import type { Cluster } from '../api/cluster.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../api/object.ts';
import type { Subscription } from '../api/subscription.ts';
import { fieldsOf } from '../api/untyped.ts';
import { isUnmergeable } from '../apply/api-failure.ts';
import { keepLiveOrder } from '../apply/live-order.ts';
import { withUid } from '../apply/write.ts';
import { diffFields } from '../plan/fields.ts';
import { nameSome } from '../apply/name-some.ts';
import { addCertificates } from './revision/certificates/add.ts';

/** A Deployment whose Pods are replaced. */
export interface TrialRestart {
  /** `Deployment.apps lights/beacon` */
  readonly deployment: string;
  /** The fields of its Pod template that differ, or the answer of the API server. */
  readonly why: readonly string[];
}

export interface HandOverTrial {
  /** Slipway's Subscription. */
  readonly subscription: Pick<Subscription, 'metadata' | 'spec'>;
  /** The objects of the version that it installs, prepared for it, without certificates. */
  readonly objects: readonly KubeObject[];
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Throws the errors of the client. */
export async function restartsOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  trial: HandOverTrial,
): Promise<readonly TrialRestart[]> {
  const restarts: TrialRestart[] = [];
  for (const object of await deploymentsOf(cluster, trial)) {
    const why = await differencesOf(cluster, object, trial.signal);
    if (why.length > 0) restarts.push({ deployment: describeRef(refOf(object)), why });
  }
  return restarts;
}

/** As the manager applies them, certificates included. */
async function deploymentsOf(cluster: Pick<Cluster, 'get'>, trial: HandOverTrial): Promise<readonly KubeObject[]> {
  const { subscription, objects, now, signal } = trial;
  const { name, namespace = '' } = subscription.metadata;
  const owner = { namespace, name };
  const prepare = { owner, package: subscription.spec.package, revision: name, installNamespace: namespace };
  const handedOver: Pick<Cluster, 'get'> = {
    get: async (ref, until) => {
      const live = await cluster.get(ref, until);
      return live === undefined ? undefined : withAdoptBy(live, `${namespace}/${name}`);
    },
  };
  const certified =
    subscription.spec.certificates === 'CertManager'
      ? objects
      : await addCertificates(objects, { cluster: handedOver, prepare, inventory: [], now, settled: true, signal });
  return certified.filter((object) => groupKind(object) === 'Deployment.apps');
}

/** The manager uses the certificate of a Secret that is handed over. */
function withAdoptBy(live: KubeObject, adoptBy: string): KubeObject {
  const annotations = { ...live.metadata.annotations, [ANNOTATION.adoptBy]: adoptBy };
  return { ...live, metadata: { ...live.metadata, annotations } };
}

async function differencesOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  object: KubeObject,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const live = await cluster.get(refOf(object), signal);
  if (live === undefined) return ['it does not exist, and is created'];
  const wanted = withUid(await keepLiveOrder(cluster, object, live, signal), live);
  const answer = await cluster.apply(wanted, { force: true, dryRun: true }, signal).catch((error: unknown) => {
    // Such as one with a variable that is given twice, which is written by a patch.
    if (isUnmergeable(error)) return undefined;
    throw error;
  });
  if (answer === undefined) return ['they cannot be compared, as the API server cannot merge the Deployment'];
  const { fields, more } = diffFields(templateOf(live), templateOf(answer));
  const texts = fields.map(({ path, from, to }) => `${path}: ${from ?? 'absent'} becomes ${to ?? 'absent'}`);
  return [...texts, ...(more > 0 ? [`${more} further fields`] : [])];
}

function templateOf({ apiVersion, kind, metadata: { name }, spec }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name }, spec: { template: fieldsOf(spec)['template'] } };
}

/** A sentence has room for so many. */
const MOST_NAMED = 4;

/** `the Pods of Deployment.apps lights/beacon would be replaced (…)`, a sentence for each. Pure. */
export function describeRestarts(restarts: readonly TrialRestart[]): readonly string[] {
  return restarts.map(
    ({ deployment, why }) => `the Pods of ${deployment} would be replaced (${nameSome(why, MOST_NAMED)})`,
  );
}
