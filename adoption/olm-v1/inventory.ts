/** Finds the objects of a ClusterExtension: by the label that OLM v1 gives each of them. Sends requests. */
import { CRD } from '../../api/crd-kind.ts';
import type { Cluster } from '../../api/cluster.ts';
import type { Kind, KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import { OPTIONAL_KINDS, WORKING_KINDS } from '../kinds-of-bundles.ts';
import { OWNER_LABEL } from './kinds.ts';

/** The kinds that bundles contain, and those that OLM makes for them. */
const KINDS: readonly Kind[] = [
  CRD,
  ...WORKING_KINDS,
  ...['Issuer', 'Certificate'].map((kind) => ({ apiVersion: 'cert-manager.io/v1', kind })),
  ...OPTIONAL_KINDS,
];

/**
 * The objects with the label of the ClusterExtension, metadata only: one list for each kind, and for each kind that one of
 * its CRDs defines. Throws the errors of the client.
 */
export async function collectInventory(
  cluster: Pick<Cluster, 'get' | 'list'>,
  extension: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const options = { labelSelector: `${OWNER_LABEL.name}=${extension}`, metadataOnly: true };
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
