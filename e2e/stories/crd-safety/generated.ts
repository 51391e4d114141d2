/** Many generated pairs at once: each is a field of its own in one CRD, with objects of its own. */
import { crdOf, kindOf } from '../../../apply/crd-safety/testing/cases.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { judge, seeOutcome, type Pair } from './experiment.ts';
import type { Schema } from './generate-schema.ts';
import { generatePair } from './generate.ts';

/** The outcome for one object, and our verdict on it alone. */
export interface Row {
  readonly name: string;
  readonly object: KubeObject;
  readonly harm: string | undefined;
  readonly verdict: readonly string[];
}

interface Field {
  readonly seed: number;
  readonly field: string;
  readonly old: Schema;
  readonly next: Schema;
  readonly values: readonly unknown[];
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Runs the pairs of these seeds whose CRDs the API server takes. */
export async function runGenerated(
  cluster: TestCluster,
  plural: string,
  seeds: readonly number[],
): Promise<{ readonly pairs: number; readonly rows: readonly Row[] }> {
  const made = seeds.map((seed) => ({ seed, field: `p${seed}`, ...generatePair(seed) }));
  const taken = await Promise.all(made.map(async (each) => ((await isTaken(cluster, plural, each)) ? [each] : [])));
  const fields = taken.flat();
  return { pairs: fields.length, rows: await runTogether(cluster, plural, fields) };
}

async function isTaken(cluster: TestCluster, plural: string, field: Field): Promise<boolean> {
  const { old, next } = pairOf(plural, [field]);
  try {
    for (const crd of [old, next]) await cluster.request('POST', `${CRDS}?dryRun=All`, crd);
    return true;
  } catch {
    return false;
  }
}

/** Expressions of all pairs together may cost more than a CRD may; then halves of them are run. */
async function runTogether(cluster: TestCluster, plural: string, fields: readonly Field[]): Promise<readonly Row[]> {
  if (fields.length === 0) return [];
  const outcome = await seeOutcome(cluster, pairOf(plural, fields));
  if (outcome.kind === 'refused') {
    if (fields.length === 1 || !/cost|exceed/.test(outcome.because)) throw new Error(outcome.because);
    const half = Math.ceil(fields.length / 2);
    const parts = [fields.slice(0, half), fields.slice(half)];
    const rows = await Promise.all(parts.map((part, index) => runTogether(cluster, `${plural}${'ab'[index]}`, part)));
    return rows.flat();
  }
  return Promise.all(
    outcome.fates.map(async ({ object, harm }) => {
      const field = fields.find(({ seed }) => object.metadata.name.startsWith(`s${seed}-`)) as Field;
      return { name: object.metadata.name, object, harm, verdict: await judge(pairOf(plural, [field]), [object]) };
    }),
  );
}

function pairOf(plural: string, fields: readonly Field[]): Pair {
  const specOf = (side: 'old' | 'next'): Schema => ({
    type: 'object',
    properties: Object.fromEntries(
      fields.map((each) => [each.field, { type: 'object', properties: { x: each[side] } }]),
    ),
  });
  const objects = fields.flatMap(({ seed, field, values }) =>
    values.map((x, index) => ({
      apiVersion: 'example.com/v1',
      kind: kindOf(plural),
      metadata: { name: `s${seed}-${index}`, namespace: 'default' },
      spec: { [field]: { x } },
    })),
  );
  return { name: plural, old: crdOf(plural, specOf('old')), next: crdOf(plural, specOf('next')), objects };
}
