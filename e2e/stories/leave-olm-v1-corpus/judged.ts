/** Judges the ways of one operator by the Judge of the hand-overs from OLM v0, and sums up its figures. */
import { OWNER_LABEL } from '../../../adoption/olm-v1/kinds.ts';
import { ANNOTATION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { until } from '../../lib/until.ts';
import type { LoadedBundle } from '../leave-olm-corpus/api-bundle.ts';
import { Judge, type Judgement } from '../leave-olm-corpus/judge.ts';
import type { Probe } from '../leave-olm-corpus/probe.ts';
import { workingProbes } from '../leave-olm-corpus/probes.ts';
import { isInjectedEverywhere } from '../leave-olm-v1/cert-manager.ts';
import { isRolledOut } from '../leave-olm/olm.ts';
import { OLM_V1 } from './olm-v1-objects.ts';

/** The operators that are judged have the names of their packages, as have their namespaces. */
export class Judgements {
  readonly #cluster: TestCluster;
  readonly #client: Client;
  readonly #sorts = new Set<Probe['sort']>();
  #ways = 0;
  #calls = 0;
  #events = 0;

  constructor(cluster: TestCluster, client: Client) {
    this.#cluster = cluster;
    this.#client = client;
  }

  /** Watches and calls the operator, which runs the bundle, as long as the way takes. Throws the error of the way. */
  async of(name: string, bundle: LoadedBundle, way: () => Promise<void>): Promise<Judgement> {
    await this.#isAtRest(name);
    const probes = await this.#probesOf(name, bundle);
    const judge = new Judge(this.#client, probes, [name], OLM_V1);
    await judge.begin();
    const judgement = await way().then(
      () => judge.end(),
      async (error: unknown) => {
        await judge.end();
        throw error;
      },
    );
    for (const { sort } of probes) this.#sorts.add(sort);
    this.#ways += 1;
    this.#calls += judgement.calls;
    this.#events += judgement.events;
    return judgement;
  }

  /** The sorts of calls that were made. */
  get sorts(): readonly Probe['sort'][] {
    return [...this.#sorts].toSorted();
  }

  describe(): string {
    return `${this.#ways} ways judged, ${this.#calls} calls, ${this.#events} events`;
  }

  /** For harm would be taken: a roll-out that goes on, the first certificate of a webhook. */
  async #isAtRest(namespace: string): Promise<void> {
    await until(`${namespace} has rolled out`, () => isRolledOut(this.#cluster, namespace));
    await until('cert-manager has injected its authority', () => isInjectedEverywhere(this.#client));
  }

  /** Those of the bundle, since OLM v1 keeps no ClusterServiceVersion. */
  async #probesOf(name: string, { files }: LoadedBundle): Promise<readonly Probe[]> {
    const isBound = ({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean =>
      labels[OWNER_LABEL.name] === name || annotations[ANNOTATION.owner] === `${name}/${name}`;
    return workingProbes(
      { cluster: this.#cluster, client: this.#client },
      {
        name,
        namespace: name,
        targets: [],
        csv: parseBundle(files).csv.manifest.object,
        bindings: { labelSelector: '', isOwn: isBound },
      },
    );
  }
}
