/**
 * Makes a Revision and the Secret that it names look as if the manager had made them. The manager does nothing with one that
 * it cannot have made, so without this the fuzz would only try the door.
 */
import { API_VERSION } from '../../api/names.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import type { Act, Body } from './acts.ts';

type Put = Act & { readonly does: 'put' };

/** The Subscription that a Revision pretends to belong to. */
interface Owner {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly package: string };
}

/** The body to send; its Secret is there by then. Without the Subscription the body is as it was drawn. */
export async function disguised(cluster: TestCluster, act: Put): Promise<Body> {
  const { body, collection, disguise } = act;
  if (disguise === undefined) return body;
  const path = `${collection.replace(/revisions$/, 'subscriptions')}/${disguise.subscription}`;
  const owner = (await cluster.read(path).catch(() => undefined)) as Owner | undefined;
  if (owner === undefined) return body;
  const made = dressUp(act, owner);
  await copySecret(cluster, act, made).catch(() => undefined); // it may be there already
  return made;
}

/** The body with the reference and the package that the manager would give it. Pure. */
function dressUp({ body, disguise }: Put, { metadata: { uid }, spec }: Owner): Body {
  const name = disguise?.subscription;
  const reference = { apiVersion: API_VERSION, kind: 'Subscription', name, uid, controller: true };
  return {
    ...body,
    metadata: { ...body.metadata, ownerReferences: [reference] },
    ...(disguise?.garbage !== undefined && { spec: { ...(body['spec'] as object), package: spec.package } }),
  };
}

async function copySecret(
  cluster: TestCluster,
  { collection, disguise }: Put,
  { metadata, spec }: Body,
): Promise<void> {
  if (disguise?.garbage === undefined) return;
  const secrets = collection.replace(/^\/apis\/[^/]+\/[^/]+/, '/api/v1').replace(/revisions$/, 'secrets');
  const { data, type } = await cluster.read(`${secrets}/${disguise.garbage.secret}`);
  const { manifests } = spec as { readonly manifests: { readonly secrets: readonly string[] } };
  const { ownerReferences } = metadata;
  const copy = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: manifests.secrets[0], ownerReferences },
    type,
    data,
  };
  await cluster.request('POST', secrets, copy);
}
