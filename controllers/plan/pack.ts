/** Packs a whole plan for its Secret, within the size of one: if it is too large, it leaves parts out and names them. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { formatJson } from '../../api/json.ts';
import type { Plan } from '../../plan/model.ts';
import type { StoredPlan } from '../../plan/stored-plan.ts';

/** Bytes before base64: a Secret is limited to 1 MiB, its metadata included. */
const MOST_BYTES = 700 * 1024;

export interface PackedPlan {
  /** Gzipped JSON of a {@link StoredPlan}. */
  readonly bytes: Buffer;
  readonly omitted?: string;
}

export async function packPlan(
  { plan, heldBy }: Pick<StoredPlan, 'plan' | 'heldBy'>,
  mostBytes: number = MOST_BYTES,
): Promise<PackedPlan> {
  for (const { omitted, reduce } of REDUCTIONS) {
    const note = omitted === undefined ? {} : { omitted };
    const bytes = await promisify(gzip)(Buffer.from(formatJson({ plan: reduce(plan), heldBy, ...note })));
    if (bytes.length <= mostBytes) return { bytes, ...note };
  }
  const omitted = 'the whole plan, which is too large for a Secret even without its lists';
  return { bytes: await promisify(gzip)(Buffer.from(formatJson({ omitted }))), omitted };
}

interface Reduction {
  readonly omitted?: string;
  readonly reduce: (plan: Plan) => Plan;
}

/** The largest plan first. */
const REDUCTIONS: readonly Reduction[] = [
  { reduce: (plan) => plan },
  { omitted: 'the fields of changed objects', reduce: withoutFields },
  { omitted: 'the objects, the images and the findings about CRDs', reduce: withoutLists },
];

function withoutFields(plan: Plan): Plan {
  const { changed, replaced, ...objects } = plan.objects;
  const strip = (list: typeof changed): typeof changed =>
    list.map(({ ref, fields, more }) => ({ ref, fields: [], more: more + fields.length }));
  return { ...plan, objects: { ...objects, changed: strip(changed), replaced: strip(replaced) } };
}

function withoutLists(plan: Plan): Plan {
  const objects = { created: [], changed: [], replaced: [], deleted: [], kept: [], unchanged: [] };
  const reasons = plan.risk.reasons.slice(0, 1000);
  const additions = { objects: [], fields: [] };
  return { ...plan, objects, additions, images: { added: [], removed: [] }, crds: [], risk: { ...plan.risk, reasons } };
}
