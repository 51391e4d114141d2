/** The examples of custom resources that a bundle publishes: created in a cluster, and compared after an upgrade. */
import { ReasonedError } from '../../../../api/errors.ts';
import { canonicalJson } from '../../../../api/json.ts';
import { describeRef, refOf, type KubeObject } from '../../../../api/object.ts';
import { isRecord, itemsOf } from '../../../../api/untyped.ts';
import type { Bundle } from '../../../../bundles/parse.ts';
import { parseYaml } from '../../../../bundles/yaml.ts';
import type { Client } from '../../../../kube/client/client.ts';

/** The examples of a bundle that are objects with a name; `bundle validate` reports the others. */
export function samplesOf({ csv }: Bundle): readonly KubeObject[] {
  const text = csv.annotations['alm-examples'] ?? csv.annotations['olm.examples'] ?? '';
  if (text.trim() === '') return [];
  return itemsOf(parseYaml(text)[0]?.value).filter(isObject);
}

function isObject(value: unknown): value is KubeObject {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  return [value['apiVersion'], value['kind'], value['metadata']['name']].every(
    (one) => typeof one === 'string' && one !== '',
  );
}

/** Creates the samples that do not exist yet, as the API server stores them. @throws Error that names the rejected ones */
export async function createSamples(
  client: Client,
  samples: readonly KubeObject[],
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<readonly KubeObject[]> {
  const created: KubeObject[] = [];
  const rejected: string[] = [];
  for (const sample of samples) {
    try {
      const isNamespaced = await client.isNamespaced(sample, signal);
      const { namespace: _own, ...metadata } = sample.metadata;
      const object = { ...sample, metadata: { ...metadata, ...(isNamespaced === true && { namespace }) } };
      const existing = await client.get(refOf(object), signal);
      created.push(existing ?? (await client.create(object, {}, signal)));
    } catch (error) {
      if (!(error instanceof ReasonedError) || signal.aborted) throw error;
      rejected.push(`${describeRef(refOf(sample))}: ${error.message}`);
    }
  }
  if (rejected.length > 0) throw new SampleFailure(rejected.join('; '));
  return created;
}

/** Samples that the API server or the operator did not treat as was wanted. */
export class SampleFailure extends Error {}

/** Reads the samples again. @throws SampleFailure that names those that are gone, were made again, or lost fields */
export async function checkKept(client: Client, before: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  const lost: string[] = [];
  for (const sample of before) {
    const problem = lossOf(sample, await client.get(refOf(sample), signal));
    if (problem !== undefined) lost.push(`${describeRef(refOf(sample))} ${problem}`);
  }
  if (lost.length > 0) throw new SampleFailure(lost.join('; '));
}

/** How an object differs from the one that was created, as the end of a sentence; fields may be added. Pure. */
export function lossOf(before: KubeObject, after: KubeObject | undefined): string | undefined {
  if (after === undefined) return 'is gone';
  if (before.metadata.uid !== after.metadata.uid) return 'was deleted and made again';
  const lost = lostFields(before['spec'], after['spec'], 'spec');
  return lost.length === 0 ? undefined : `changed in ${lost.join(', ')}`;
}

function lostFields(before: unknown, after: unknown, path: string): readonly string[] {
  if (!isRecord(before) || !isRecord(after))
    return canonicalJson(before ?? null) === canonicalJson(after ?? null) ? [] : [path];
  return Object.keys(before).flatMap((key) => lostFields(before[key], after[key], `${path}.${key}`));
}
