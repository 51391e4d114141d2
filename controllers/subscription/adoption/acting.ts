/**
 * With whose rights an operator is adopted: those of the account that the Subscription names, so that no tenant has the
 * manager change or delete an object of others. The manager keeps the backup and reads Slipway's own kinds: the account needs no
 * rights in its namespace.
 */
import { RELEASE_TYPE } from '../../../adoption/olm-v1/kinds.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { API_VERSION } from '../../../api/names.ts';
import { refOf, type ObjectRef } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { identityOf } from '../../../apply/identity.ts';
import type { Client } from '../../../kube/client/client.ts';

/** A client with the rights of the manager. */
export type ManagerClient = Pick<Client, keyof Cluster | 'as'>;

/** A client with the rights of the account that a Subscription names; those of the manager if it names none. */
export function accountOf(client: ManagerClient, { metadata, spec }: Pick<Subscription, 'metadata' | 'spec'>): Cluster {
  if (spec.serviceAccountName === undefined) return client;
  return client.as({ user: `system:serviceaccount:${metadata.namespace}:${spec.serviceAccountName}` });
}

/** @param backup The Secret of the backup. */
export function actingFor(
  client: ManagerClient,
  subscription: Pick<Subscription, 'metadata' | 'spec'>,
  backup: ObjectRef,
): Cluster {
  const account = accountOf(client, subscription);
  const writer = (ref: ObjectRef): Cluster => (identityOf(ref) === identityOf(backup) ? client : account);
  const reader = (ref: ObjectRef): Cluster => (ref.apiVersion === API_VERSION ? client : writer(ref));
  return {
    get: (ref, ...rest) => reader(ref).get(ref, ...rest),
    list: (kind, ...rest) => (kind.apiVersion === API_VERSION ? client : account).list(kind, ...rest),
    create: (object, ...rest) => writer(refOf(object)).create(object, ...rest),
    apply: (object, ...rest) => writer(refOf(object)).apply(object, ...rest),
    patch: (ref, ...rest) => writer(ref).patch(ref, ...rest),
    delete: (ref, ...rest) => writer(ref).delete(ref, ...rest),
    isNamespaced: (...args) => client.isNamespaced(...args),
  };
}

/**
 * The same for an operator of OLM v1, whose objects are found by the name of its ClusterExtension: in every namespace, and its
 * release of Helm in that of OLM. The manager lists them, so that the account needs no right on the Secrets of the cluster, and
 * deletes the Secrets that it has listed as those of the release, as OLM does for a user who deletes the ClusterExtension. The
 * account has shown before that it may delete that.
 */
export function actingForV1(
  client: ManagerClient,
  subscription: Pick<Subscription, 'metadata' | 'spec'>,
  backup: ObjectRef,
): Cluster {
  const acting = actingFor(client, subscription, backup);
  const releases = new Set<string>();
  return {
    ...acting,
    list: async (kind, options, signal) => {
      const found = await client.list(kind, options, signal);
      const isRelease = kind.kind === 'Secret' && options?.fieldSelector === `type=${RELEASE_TYPE}`;
      if (isRelease) for (const secret of found) releases.add(identityOf(refOf(secret)));
      return found;
    },
    delete: (ref, ...rest) => (releases.has(identityOf(ref)) ? client : acting).delete(ref, ...rest),
  };
}
