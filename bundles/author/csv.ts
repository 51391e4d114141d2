/** Writes the ClusterServiceVersion: generated fields are replaced, and every field of a person stays. */
import { canonicalJson, formatJson } from '../../api/json.ts';
import { isRecord } from '../../api/untyped.ts';
import type { KubeObject } from '../../api/object.ts';
import type { CsvCrd, CsvDeployment, CsvWebhook } from '../bundle.ts';
import { INSTALL_MODES, type InstallMode } from '../render/install-mode.ts';
import type { ApiServiceDefinition } from './api-services.ts';
import { inWords } from './crds.ts';
import { imagesOf, type RelatedImage } from './images.ts';
import type { Permissions } from './rights.ts';

type CsvFields = Readonly<Record<string, unknown>>;

/** The words of the author; absent ones are those of the existing CSV, or a first suggestion. */
export interface AuthorWords {
  readonly displayName?: string;
  readonly description?: string;
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
  readonly provider?: string;
  readonly maintainers?: readonly { readonly name: string; readonly email: string }[];
  readonly maturity?: string;
  readonly minKubeVersion?: string;
}

export interface CsvContent extends Permissions {
  readonly package: string;
  readonly name: string;
  readonly version: string;
  readonly replaces?: string;
  readonly words: AuthorWords;
  readonly deployments: readonly CsvDeployment[];
  readonly webhooks: readonly CsvWebhook[];
  readonly apiServices: readonly ApiServiceDefinition[];
  readonly owned: readonly CsvCrd[];
  readonly examples: readonly KubeObject[];
  readonly modes: readonly InstallMode[];
  readonly suggestedNamespace?: string;
}

/** The CSV with the fields of `content`, and all other fields of the existing one. */
export function writeCsv(content: CsvContent, existing: KubeObject | undefined): KubeObject {
  const spec = isRecord(existing?.['spec']) ? existing['spec'] : {};
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    ...existing,
    metadata: writeMetadata(content, existing?.metadata as CsvFields | undefined),
    spec: withoutUndefined({
      ...(existing === undefined && suggestions(content)),
      ...spec,
      ...said(content.words),
      version: content.version,
      replaces: content.replaces,
      customresourcedefinitions: {
        ...(spec['customresourcedefinitions'] as CsvFields | undefined),
        owned: mergeOwned(content.owned, spec['customresourcedefinitions']),
      },
      apiservicedefinitions: writeApiServices(content, spec['apiservicedefinitions']),
      ...(content.webhooks.length > 0 ? { webhookdefinitions: content.webhooks } : { webhookdefinitions: undefined }),
      install: { strategy: 'deployment', spec: writeInstall(content) },
      installModes: INSTALL_MODES.map((type) => ({ type, supported: content.modes.includes(type) })),
      relatedImages: mergeImages(imagesOf(content.deployments), spec),
    }),
  } as unknown as KubeObject;
}

/** Those that the operator requires stay. */
function writeApiServices({ apiServices }: CsvContent, existing: unknown): CsvFields | undefined {
  const { owned: _, ...others } = isRecord(existing) ? existing : {};
  if (apiServices.length > 0) return { ...others, owned: apiServices };
  return isRecord(existing) ? others : undefined;
}

function withoutUndefined(fields: CsvFields): CsvFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function writeMetadata({ name, examples, suggestedNamespace }: CsvContent, existing: CsvFields | undefined): CsvFields {
  const before = (existing?.['annotations'] ?? {}) as Readonly<Record<string, string>>;
  const annotations = {
    ...(suggestedNamespace !== undefined && { [SUGGESTED]: suggestedNamespace }),
    ...before,
    ...(examples.length > 0 && { [EXAMPLES]: writeExamples(examples, before[EXAMPLES]) }),
  };
  const others = withoutUndefined({ ...existing, annotations: undefined });
  return { ...others, name, ...(Object.keys(annotations).length > 0 && { annotations }) };
}

const EXAMPLES = 'alm-examples';
const SUGGESTED = 'operatorframework.io/suggested-namespace';

/** The same examples keep the form that a person has given them. */
function writeExamples(examples: readonly KubeObject[], before: string | undefined): string {
  const text = formatJson(examples, 2);
  try {
    if (before !== undefined && canonicalJson(JSON.parse(before)) === canonicalJson(JSON.parse(text))) return before;
  } catch {
    // the former text is no JSON, and is replaced
  }
  return text;
}

/** Texts of a first run, which a person is to improve. */
function suggestions({ package: packageName, owned, version }: CsvContent): CsvFields {
  const kinds = [...new Set(owned.map(({ kind }) => kind))];
  const displayName = packageName
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
  const manages = kinds.length === 0 ? '' : ` It manages objects of the kinds ${kinds.join(', ')}.`;
  return {
    displayName,
    description: `${displayName} for Kubernetes.${manages}`,
    keywords: kinds.map((kind) => inWords(kind).toLowerCase()),
    maturity: version.startsWith('0.') ? 'alpha' : 'stable',
  };
}

function said({
  icon,
  provider,
  displayName,
  description,
  maintainers,
  maturity,
  minKubeVersion,
}: AuthorWords): CsvFields {
  return withoutUndefined({
    displayName,
    description,
    maturity,
    minKubeVersion,
    maintainers,
    ...(icon !== undefined && { icon: [icon] }),
    ...(provider !== undefined && { provider: { name: provider } }),
  });
}

function writeInstall({ deployments, permissions, clusterPermissions }: CsvContent): CsvFields {
  return {
    deployments,
    ...(permissions.length > 0 && { permissions }),
    ...(clusterPermissions.length > 0 && { clusterPermissions }),
  };
}

/** An entry of the same kind and version keeps its words and descriptors. */
function mergeOwned(owned: readonly CsvCrd[], existing: unknown): readonly CsvFields[] {
  const before = isRecord(existing) && Array.isArray(existing['owned']) ? existing['owned'].filter(isRecord) : [];
  return owned.map((entry) => {
    const same = before.find(({ name, version }) => name === entry.name && version === entry.version);
    return { ...entry, ...same, kind: entry.kind };
  });
}

/** Images that a person has added stay; those of containers that are gone or changed do not. */
function mergeImages(images: readonly RelatedImage[], spec: CsvFields): readonly unknown[] {
  const before = (Array.isArray(spec['relatedImages']) ? spec['relatedImages'] : []).filter(isRecord);
  const generated = new Set(imagesOf(deploymentsOf(spec)).map(({ image }) => image));
  const names = new Set(images.map(({ name }) => name));
  const added = before.filter(({ name, image }) => !generated.has(String(image)) && !names.has(String(name)));
  return [...images, ...added];
}

function deploymentsOf(spec: CsvFields): readonly CsvDeployment[] {
  const install = spec['install'] as { readonly spec?: { readonly deployments?: unknown } } | undefined;
  const list = install?.spec?.deployments;
  return (Array.isArray(list) ? list : []).filter(
    (one): one is CsvDeployment =>
      isRecord(one) && isRecord((one['spec'] as CsvDeployment['spec'] | undefined)?.template?.spec),
  );
}
