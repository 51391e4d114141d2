/**
 * The excerpt of a ClusterServiceVersion that catalogs carry instead of the manifests: everything that a user wants to
 * see before installing, without the install strategy and the icon. It leaves out fields that are unknown or have a
 * wrong type, and empty ones except for those that identify something.
 */
import { field, objectField } from './fields.ts';
import { type Fields, fieldsOf } from '../api/untyped.ts';

/** How a field is read. A shape is an object whose fields are read in turn. */
export type FieldKind = 'text' | 'always' | 'flag' | 'port' | 'texts' | 'any' | readonly [Shape];
export interface Shape {
  readonly [field: string]: FieldKind;
}

const REFERENCE: Shape = { name: 'always', kind: 'always', version: 'always' };
const DESCRIPTOR: Shape = {
  path: 'always',
  displayName: 'text',
  description: 'text',
  'x-descriptors': 'texts',
  value: 'any',
};
const DESCRIPTION: Shape = {
  ...REFERENCE,
  displayName: 'text',
  description: 'text',
  resources: [REFERENCE],
  statusDescriptors: [DESCRIPTOR],
  specDescriptors: [DESCRIPTOR],
  actionDescriptors: [DESCRIPTOR],
};
const API_SERVICE: Shape = { ...DESCRIPTION, group: 'always', deploymentName: 'text', containerPort: 'port' };
const API_SERVICES: Shape = { owned: [API_SERVICE], required: [API_SERVICE] };
const CRDS: Shape = { owned: [DESCRIPTION], required: [DESCRIPTION] };
const PROVIDER: Shape = { name: 'text', url: 'text' };
const SPEC: Shape = {
  description: 'text',
  displayName: 'text',
  installModes: [{ type: 'always', supported: 'flag' }],
  keywords: 'texts',
  links: [{ name: 'text', url: 'text' }],
  maintainers: [{ name: 'text', email: 'text' }],
  maturity: 'text',
  minKubeVersion: 'text',
  nativeAPIs: [{ group: 'always', version: 'always', kind: 'always' }],
};

/** The fields of the excerpt; its annotations and labels are maps of texts. */
export const EXCERPT = {
  apiServiceDefinitions: API_SERVICES,
  crdDescriptions: CRDS,
  provider: PROVIDER,
  ...SPEC,
} as const;

/**
 * The value of the property `olm.csv.metadata` for a ClusterServiceVersion.
 * @see https://olm.operatorframework.io/docs/reference/file-based-catalogs/#olmcsvmetadata
 */
export function buildCsvMetadata(csv: Fields): Fields {
  const metadata = objectField(csv, 'metadata');
  const spec = objectField(csv, 'spec');
  const annotations = textMap(objectField(metadata, 'annotations'));
  const labels = textMap(objectField(metadata, 'labels'));
  return {
    ...(annotations !== undefined && { annotations }),
    apiServiceDefinitions: pick(objectField(spec, 'apiservicedefinitions'), API_SERVICES),
    crdDescriptions: pick(objectField(spec, 'customresourcedefinitions'), CRDS),
    ...(labels !== undefined && { labels }),
    ...pick(spec, SPEC),
    provider: pick(objectField(spec, 'provider'), PROVIDER),
  };
}

function pick(object: Fields, shape: Shape): Fields {
  const picked: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(shape)) {
    const value = read(field(object, name), kind);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function read(value: unknown, kind: FieldKind): unknown {
  if (kind === 'any') return value;
  if (kind === 'flag') return value === true;
  if (kind === 'always') return typeof value === 'string' ? value : '';
  if (kind === 'text') return typeof value === 'string' && value !== '' ? value : undefined;
  if (kind === 'port') return typeof value === 'number' && value !== 0 ? value : undefined;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  if (kind === 'texts') return value.map((item: unknown) => (typeof item === 'string' ? item : ''));
  return value.map((item: unknown) => pick(fieldsOf(item), kind[0]));
}

function textMap(object: Fields): Fields | undefined {
  const entries = Object.entries(object);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([key, value]) => [key, typeof value === 'string' ? value : '']));
}
