/**
 * With whose rights an operator is adopted: those of the account that the Subscription names, so that no tenant has the
 * manager change or delete an object of others. The manager keeps the backup and reads Slipway's own kinds: the account needs no
 * rights in its namespace.
 */
import type { Cluster } from '../../../api/cluster.ts';
import { API_VERSION } from '../../../api/names.ts';
import { refOf, type ObjectRef } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { identityOf } from '../../../apply/identity.ts';
import type { Client } from '../../../kube/client/client.ts';

/** A client with the rights of the account that a Subscription names; those of the manager if it names none. */
export function accountOf(
  client: Pick<Client, keyof Cluster | 'as'>,
  { metadata, spec }: Pick<Subscription, 'metadata' | 'spec'>,
): Cluster {
  if (spec.serviceAccountName === undefined) return client;
  return client.as({ user: `system:serviceaccount:${metadata.namespace}:${spec.serviceAccountName}` });
}

/** @param backup The Secret of the backup. */
export function actingFor(
  client: Pick<Client, keyof Cluster | 'as'>,
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
