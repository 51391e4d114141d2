/** The options of a test's cluster. */
import type { ComponentName } from './components.ts';
import type { Progress } from './go-build.ts';
import type { RegistryOptions } from './registry-config.ts';

export interface ClusterOptions {
  /** What is started; what these need comes along. Default: everything. */
  readonly only?: readonly ComponentName[];
  /** How the registry behaves, or `false` for none. */
  readonly registry?: RegistryOptions | false;
  /**
   * Requests a second that kube-controller-manager and kube-scheduler allow themselves; 500 if absent. `default` is
   * Kubernetes' own 20 and 50, with which the cluster needs 5 s longer to start and 200 Deployments take most of a
   * minute: say with each figure which was used.
   */
  readonly kubeApiQps?: number | 'default';
  /** Added to the command line of kube-apiserver; a flag given again replaces the one before. */
  readonly apiServerFlags?: readonly string[];
  /** Files with kwok Stages in place of stages/pods.yaml. */
  readonly stageFiles?: readonly string[];
  /**
   * `real`: a kubelet with containerd and kube-proxy, on which Pods run, Services work and the API server reaches
   * webhooks; see realNodeObstacle for where it cannot. Default `fake`: kwok.
   */
  readonly node?: 'fake' | 'real';
  /**
   * Run OLM v0 beside it, with the catalog that is in `olm-catalog.json` of the folder, and a server that answers for
   * all Services, so that webhooks and aggregated APIs work without Pods. In a network of its own, as a real node.
   */
  readonly olm?: boolean;
  /** Run OLM v1 beside it, with the same server for all Services. In a network of its own, as a real node. */
  readonly olmV1?: boolean;
  /** How many real nodes, if there are any; default 1. */
  readonly realNodes?: number;
  /** How many Nodes kwok pretends to have; default 1, or none beside real ones, in which case they are tainted. */
  readonly fakeNodes?: number;
  /**
   * Each program of the control plane uses one processor at a time. Beside other clusters that is less work for the same
   * answers: the Go runtime wakes no second thread that finds nothing to do. Default: all processors.
   */
  readonly oneProcessor?: boolean;
  /** Record every request in the file `audit.jsonl` of the folder: who, what, when, no bodies. */
  readonly audit?: boolean;
  /** Where building the programs is reported; default stderr. */
  readonly progress?: Progress;
  /** Name of the folder; default a new one. */
  readonly name?: string;
  /** The cluster keeps running when this process ends. */
  readonly detached?: boolean;
}

/** Whether the cluster lives in a network namespace: its programs listen on all addresses. */
export function hasOwnNetwork({ node, olm, olmV1 }: ClusterOptions): boolean {
  return node === 'real' || olm === true || olmV1 === true;
}
