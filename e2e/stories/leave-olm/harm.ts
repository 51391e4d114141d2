/** Watches the objects of operators for harm while they are handed over, and calls their webhooks again and again. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { describeRef, refOf, type Kind, type KubeObject } from '../../../api/object.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { byExtent } from '../../lib/sample.ts';
import { until } from '../../lib/until.ts';
import { CRD, GROUP } from '../webhooks/gadget-operator.ts';
import { describeWriter, lastWriterOf, managedFieldsOf } from './last-writer.ts';

/** Deleted and created again, they harm: with Pods the operator restarts, with a CRD its objects are lost. */
const KEPT: readonly Kind[] = [
  { apiVersion: 'v1', kind: 'Pod' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
];

/** Each round takes two calls of a webhook; a conversion that is turned off is seen by the watch, too. */
const PROBE_EVERY_MS = byExtent({ all: 50, sample: 250 });

export interface Findings {
  readonly deleted: readonly string[];
  /** Pods and ReplicaSets that were made: a Pod template has changed. */
  readonly created: readonly string[];
  /** Each sight of the CRD without its conversion webhook, with the program that wrote that and when. */
  readonly turnedOff: readonly string[];
  /** How often the CRD was written. */
  readonly crdWrites: number;
  readonly failures: readonly string[];
  readonly probes: number;
}

export interface Harm {
  end(): Promise<Findings>;
}

/** Ends the watch: nothing of the operators was deleted or replaced, and no probe failed, of which there were many. */
export async function expectUnharmed(harm: Harm): Promise<void> {
  const { deleted, created, turnedOff, crdWrites, failures, probes } = await harm.end();
  expect({ deleted, created, turnedOff, failures }).toEqual({ deleted: [], created: [], turnedOff: [], failures: [] });
  expect(crdWrites).toBeGreaterThan(0);
  expect(probes).toBeGreaterThan(20);
}

/** From the moment at which every probe succeeds, as OLM does not wait for the first certificate of a webhook, until `end`. */
export async function watchHarm(
  cluster: Pick<TestCluster, 'request'>,
  client: Client,
  namespaces: readonly string[],
): Promise<Harm> {
  const over = new AbortController();
  const deleted: string[] = [];
  const created: string[] = [];
  const turnedOff: string[] = [];
  let crdWrites = 0;
  const failures: string[] = [];
  let probes = 0;
  const concerns = ({ kind, metadata }: KubeObject): boolean =>
    metadata.namespace === undefined
      ? metadata.name === CRD
      : namespaces.includes(metadata.namespace) && !isOurs(kind, metadata.name);
  const follow = async (kind: Kind): Promise<void> => {
    const { resourceVersion } = await client.listPage(kind, { limit: 1 });
    for await (const { type, object } of client.watch(kind, { resourceVersion }, over.signal)) {
      if (type === 'BOOKMARK' || !concerns(object)) continue;
      const name = describeRef(refOf(object));
      if (type === 'DELETED') deleted.push(name);
      if (type === 'ADDED' && ['Pod', 'ReplicaSet'].includes(kind.kind)) created.push(name);
      if (kind.kind !== 'CustomResourceDefinition') continue;
      crdWrites += 1;
      const strategy = textOf(fieldsOf(fieldsOf(object['spec'])['conversion'])['strategy']);
      if (strategy !== 'Webhook') turnedOff.push(`${strategy}, by ${writersOf(object)}`);
    }
  };
  await client.create(gadget('stored'));
  await until('the webhooks of the operator answer', async () => {
    await Promise.all(Object.values(probesOf(cluster, client)).map((ask) => ask()));
    return true;
  });
  const probe = async (): Promise<void> => {
    while (!over.signal.aborted) {
      for (const [name, ask] of Object.entries(probesOf(cluster, client))) {
        probes += 1;
        await ask().catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
      }
      await delay(PROBE_EVERY_MS);
    }
  };
  const running = Promise.all(
    [...KEPT.map(follow), probe()].map((one) => one.catch((error: unknown) => unlessOver(error, over))),
  );
  return {
    async end() {
      over.abort(new Error('the watch has ended'));
      await running;
      return { deleted, created, turnedOff, crdWrites, failures, probes };
    },
  };
}

/** The programs that own the conversion of a CRD, or, if one took it out, the last writer of all. */
function writersOf(object: KubeObject): string {
  const owners = managedFieldsOf(object).filter(
    ({ fieldsV1 }) => 'f:conversion' in fieldsOf(fieldsOf(fieldsV1)['f:spec']),
  );
  return `${owners.map(describeWriter).join(', ') || 'no owner'}; last written by ${lastWriterOf(object)}`;
}

/** The Secrets of Revisions and of the backup come and go. */
function isOurs(kind: string, name: string): boolean {
  return kind === 'Secret' && !name.endsWith('-service-cert');
}

function unlessOver(error: unknown, over: AbortController): void {
  if (!over.signal.aborted) throw error;
}

function gadget(name: string, version = 'v1'): KubeObject {
  return {
    apiVersion: `${GROUP}/${version}`,
    kind: 'Gadget',
    metadata: { name, namespace: 'default' },
    spec: { size: 1 },
  };
}

/** A conversion, an admission, and a right of the operator's account. */
function probesOf(
  cluster: Pick<TestCluster, 'request'>,
  client: Client,
): Readonly<Record<string, () => Promise<void>>> {
  return {
    conversion: async () => {
      const read = await client.get({
        apiVersion: `${GROUP}/v1alpha1`,
        kind: 'Gadget',
        namespace: 'default',
        name: 'stored',
      });
      if (read === undefined) throw new Error('the stored object is gone');
    },
    admission: async () => void (await client.create(gadget('probe'), { dryRun: true })),
    rights: async () => {
      const review = await cluster.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: 'system:serviceaccount:gadgets:gadget',
          resourceAttributes: { namespace: 'gadgets', verb: 'get', resource: 'configmaps' },
        },
      });
      if (fieldsOf(review['status'])['allowed'] !== true) throw new Error('the account may not get ConfigMaps');
    },
  };
}
