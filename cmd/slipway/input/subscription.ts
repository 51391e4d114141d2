/** Reads the manifest of a Subscription from a file, as it lies in Git. */
import { parseObject } from '../../../api/kind.ts';
import { API_VERSION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import { isRecord, textOf } from '../../../api/untyped.ts';
import type { Environment } from '../environment.ts';
import { readDocuments } from './files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

/**
 * The only Subscription of a file; other documents are ignored. @throws ReasonedError InputInvalid, InvalidSpec
 */
export async function readSubscription(
  environment: Pick<Environment, 'folder'>,
  path: string,
  namespace: string | undefined,
): Promise<Subscription> {
  const found = (await readDocuments(environment, path)).filter(isSubscription);
  const [first] = found;
  if (first === undefined || found.length > 1)
    throw invalidInput(
      `${path} has ${first === undefined ? 'no' : 'more than one'} Subscription of ${API_VERSION}`,
      'Name a file with the manifest of one Subscription',
    );
  const subscription = parseObject(SUBSCRIPTION, first);
  const { name, namespace: written } = subscription.metadata;
  const place = written ?? namespace;
  if (place === undefined || textOf(name) === '')
    throw invalidInput(`the Subscription in ${path} has no name or no namespace`, 'Name the namespace by --namespace');
  return { ...subscription, metadata: { ...subscription.metadata, namespace: place } };
}

/** Whether a document of YAML is a Subscription, of whatever content. */
export function isSubscription(document: unknown): document is KubeObject {
  if (!isRecord(document) || !isRecord(document['metadata'])) return false;
  return document['apiVersion'] === API_VERSION && document['kind'] === SUBSCRIPTION.kind;
}
