/** Finds the objects of a ClusterExtension: by the label that OLM v1 gives each of them. Sends requests. */
import { CRD } from '../../api/crd-kind.ts';
import type { Cluster } from '../../api/cluster.ts';
import type { Kind, KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import { nameOnly, ownedParts } from '../../apply/listed-parts.ts';
import { OPTIONAL_KINDS, WORKING_KINDS } from '../kinds-of-bundles.ts';
import { HELM, OWNER_LABEL, SERVING_CERTIFICATE } from './kinds.ts';

/** The kinds that bundles contain, and those that OLM makes for them. */
const KINDS: readonly Kind[] = [
  CRD,
  ...WORKING_KINDS,
  ...['Issuer', 'Certificate'].map((kind) => ({ apiVersion: 'cert-manager.io/v1', kind })),
  ...OPTIONAL_KINDS,
];

/** Of an object of others the name alone: each user may have made many with the label, as large as the API server takes them. */
function markedParts(object: KubeObject, isOwn: (object: KubeObject) => boolean): KubeObject {
  const isRead = (key: string): boolean => MARK_ANNOTATIONS.has(key);
  return isOwn(object) ? ownedParts(object, { labels: () => true, annotations: isRead }) : nameOnly(object);
}

const MARK_ANNOTATIONS: ReadonlySet<string> = new Set([...HELM.annotations, SERVING_CERTIFICATE]);

/**
 * The objects with the label of the ClusterExtension, metadata only: one list for each kind, and for each kind that one of
 * its CRDs defines. Throws the errors of the client.
 *
 * @param isOwn The caller reads the marks of these alone; absent: of all.
 */
export async function collectInventory(
  cluster: Pick<Cluster, 'get' | 'list'>,
  extension: string,
  signal: AbortSignal,
  isOwn: (object: KubeObject) => boolean = () => true,
): Promise<readonly KubeObject[]> {
  const keep = (object: KubeObject): KubeObject => markedParts(object, isOwn);
  const options = { labelSelector: `${OWNER_LABEL.name}=${extension}`, metadataOnly: true, keep };
  const listed = async (kinds: readonly Kind[]): Promise<readonly KubeObject[]> =>
    (await Promise.all(kinds.map((kind) => cluster.list(kind, options, signal)))).flat();
  const found = await listed(KINDS);
  const crds = found.filter(({ kind }) => kind === CRD.kind);
  const defined = await Promise.all(crds.map(({ metadata: { name } }) => cluster.get({ ...CRD, name }, signal)));
  return [...found, ...(await listed(defined.flatMap((crd) => (crd === undefined ? [] : kindsOf(crd)))))];
}

/** The kind that a CRD defines, in its stored version. */
function kindsOf(crd: KubeObject): readonly Kind[] {
  const { group, names, versions } = fieldsOf(crd['spec']);
  const stored = listOf(versions).find(({ storage, served }) => storage === true && served === true);
  if (stored === undefined) return [];
  return [{ apiVersion: `${textOf(group)}/${textOf(stored['name'])}`, kind: textOf(fieldsOf(names)['kind']) }];
}
