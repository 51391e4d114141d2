/**
 * The answer to the write of a CRD is without its status, and a busy API server sends the watch event a tenth of a second later.
 * Of an established CRD the API server judges a new name, version or conversion, and no other part. Pure.
 */
import { canonicalJson } from '../api/json.ts';
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../api/untyped.ts';

/**
 * The written CRD with the conditions that it had before, if the write cannot change them.
 *
 * @param wanted What was written.
 * @param answer The API server's answer.
 * @param observed A watch's copy from before the write.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/#CustomResourceDefinitionStatus
 */
export function keepConditions(wanted: KubeObject, answer: KubeObject, observed: KubeObject | undefined): KubeObject {
  const isSame = observed !== undefined && observed.metadata.uid === answer.metadata.uid;
  if (!isSame || !areJudgedAlike(fieldsOf(wanted['spec']), fieldsOf(observed['spec']))) return answer;
  return { ...answer, status: observed['status'] };
}

function areJudgedAlike(next: Fields, old: Fields): boolean {
  const [names, before] = [withDefaults(fieldsOf(next['names'])), fieldsOf(old['names'])];
  const hasNames = Object.keys(names).every((key) => isEqual(names[key], before[key]));
  // A webhook's certificate authority is judged.
  const converts = [next, old].some(({ conversion }) => fieldsOf(conversion)['strategy'] === 'Webhook');
  return hasNames && isEqual(servedBy(next), servedBy(old)) && !converts;
}

/** The API server adds names that the manifest leaves out, or leaves out now. */
function withDefaults(names: Fields): Fields {
  const kind = textOf(names['kind']);
  return { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names };
}

/** A custom resource of a new version can be written only once the API server serves that. */
function servedBy({ versions }: Fields): unknown {
  return listOf(versions).map(({ name, served }) => [name, served]);
}

function isEqual(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
