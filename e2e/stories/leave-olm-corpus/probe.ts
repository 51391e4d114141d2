/** A call that works as long as an operator does, and the facts about the operator from which calls are derived. */
import type { KubeObject } from '../../../api/object.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { TestCluster } from '../../cluster/cluster.ts';

export interface Probe {
  /** The operator that it concerns, by the name of the object that is held while it is handed over. */
  readonly operator: string;
  readonly sort: 'admission' | 'conversion' | 'aggregated API' | 'right';
  readonly name: string;
  /** Throws if the operator does not answer as it should. */
  readonly ask: () => Promise<void>;
}

/** The requests that probes make. */
export interface Scene {
  readonly cluster: Pick<TestCluster, 'request' | 'read'>;
  readonly client: Client;
}

/** An operator as its probes are derived from it. */
export interface Probed {
  /** See `Probe.operator`. */
  readonly name: string;
  readonly namespace: string;
  /** Namespaces that it watches; none for all. */
  readonly targets: readonly string[];
  /** Its ClusterServiceVersion, as installed or as published. */
  readonly csv: KubeObject;
  /** The bindings that grant rights to its accounts. */
  readonly bindings: { readonly labelSelector: string; readonly isOwn: (binding: KubeObject) => boolean };
}
