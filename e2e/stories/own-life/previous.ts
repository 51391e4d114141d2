/**
 * The release before this checkout, from which Slipway is upgraded. None exists yet, so this checkout makes a stand-in:
 * an image that reports an older version, CRDs that lack a column and a field, rights that lack one, and no policy
 * about accounts. Once there is a release, its install.yaml is read here in place of this one's and its image is pushed
 * in place of a built one; the story needs no other change.
 */
import { SUBSCRIPTION } from '../../../api/subscription.ts';
import { pushIndex } from '../../../oci/testing/push-built.ts';
import { parseReference } from '../../../oci/reference.ts';
import { ownArchitecture } from '../../../scripts/build/architecture.ts';
import { MANAGER_ENTRIES } from '../../../scripts/build/manager-image.ts';
import { buildNodeImage } from '../../../scripts/build/node-image.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { openRegistry } from '../../lib/publish.ts';
import { installManifest } from '../in-cluster/deployed.ts';

export const PREVIOUS_VERSION = '0.0.1';

/** A column of `kubectl get` that came after it. */
export const NEW_COLUMN = 'Status';

/** A field of Subscriptions that came after it. */
export const NEW_FIELD = 'windows';

/** What came to install.yaml after it, and is a template of the chart that its values leave out. */
const NEW_KINDS: ReadonlySet<string> = new Set(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']);

/** What the manager may read since then. */
export const NEW_RIGHT = 'pods/log';

/** Pushes its image under the name that its install.yaml has. */
export async function pushPrevious(cluster: TestCluster): Promise<void> {
  const { index } = await buildNodeImage({
    entries: MANAGER_ENTRIES,
    entrypoint: 'manager',
    architectures: [ownArchitecture()],
    labels: { 'org.opencontainers.image.title': 'slipway', 'org.opencontainers.image.version': PREVIOUS_VERSION },
  });
  const registry = openRegistry();
  try {
    await pushIndex(registry, parseReference(`${cluster.registry}/manager:${PREVIOUS_VERSION}`), index);
  } finally {
    registry.close();
  }
}

/** Its install.yaml, set up for the registry of the cluster. */
export function previousManifest(cluster: TestCluster): string {
  return documentsOf(cluster)
    .filter(({ kind }) => !NEW_KINDS.has(kind))
    .map(formatDocument)
    .join(SEPARATOR);
}

/** Its `deploy/crds`. */
export function previousCrds(cluster: TestCluster): string {
  const crds = documentsOf(cluster).filter(({ kind }) => kind === 'CustomResourceDefinition');
  return crds.map(formatDocument).join(SEPARATOR);
}

/** What an object of this checkout was in the release before; the same for most. */
export function asPrevious(object: Manifest): Manifest {
  if (object.kind === 'CustomResourceDefinition') return previousCrd(object as Crd);
  return object.kind === 'ClusterRole' ? previousRole(object as Role) : object;
}

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const SEPARATOR = '\n---\n';

function documentsOf(cluster: TestCluster): readonly Manifest[] {
  const image = /"slipway\.dev\/manager:[^"]+"/g;
  const texts = installManifest(cluster).replaceAll(image, `"slipway.dev/manager:${PREVIOUS_VERSION}"`);
  return texts.split(SEPARATOR).map((text) => asPrevious(JSON.parse(text) as Manifest));
}

function formatDocument(object: object): string {
  return JSON.stringify(object);
}

interface Crd extends Manifest {
  readonly spec: { readonly names: { readonly kind: string }; readonly versions: readonly Version[] };
}

interface Version {
  readonly additionalPrinterColumns: readonly { readonly name: string }[];
  readonly schema: { readonly openAPIV3Schema: Schema };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

function previousCrd(crd: Crd): Crd {
  const versions = crd.spec.versions.map(({ schema, additionalPrinterColumns, ...version }) => ({
    ...version,
    additionalPrinterColumns: additionalPrinterColumns.filter(({ name }) => name !== NEW_COLUMN),
    schema: crd.spec.names.kind === SUBSCRIPTION.kind ? withoutField(schema) : schema,
  }));
  return { ...crd, spec: { ...crd.spec, versions } };
}

function withoutField({ openAPIV3Schema: whole }: Version['schema']): Version['schema'] {
  const { spec, ...others } = whole.properties ?? {};
  const { [NEW_FIELD]: field, ...properties } = spec?.properties ?? {};
  if (field === undefined) throw new Error(`Subscriptions have no field ${NEW_FIELD}`);
  return { openAPIV3Schema: { ...whole, properties: { ...others, spec: { ...spec, properties } } } };
}

interface Role extends Manifest {
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

function previousRole(role: Role): Role {
  const rules = role.rules.filter(({ resources }) => !resources.includes(NEW_RIGHT));
  if (rules.length === role.rules.length) throw new Error(`no rule is about ${NEW_RIGHT}`);
  return { ...role, rules };
}
