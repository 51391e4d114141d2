/**
 * The operators that are installed to measure: the example of this repository, invented ones of any size, and real
 * ones where the reference data is there. Each has two versions, so that an upgrade can be measured too.
 */
import { join } from 'node:path';
import { parseBundle } from '../../bundles/parse.ts';
import { renderBundle } from '../../bundles/render/render.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import type { KubeObject } from '../../api/object.ts';
import { ROOT } from '../lib/manager.ts';
import { readTree } from '../lib/publish.ts';
import { devSet, hasShared } from '../lib/shared.ts';

export interface BenchVersion {
  readonly version: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export interface BenchOperator {
  /** Name of the package, of its namespace and of its Subscription. */
  readonly name: string;
  readonly from: BenchVersion;
  readonly to: BenchVersion;
}

/** Few objects and a small CRD. */
export function smallOperator(): BenchOperator {
  const at = (version: string): BenchVersion => ({
    version,
    files: readTree(join(ROOT, 'bundles/examples/beacon-operator', version)),
  });
  return { name: 'beacon-operator', from: at('1.1.0'), to: at('2.0.0') };
}

/** Ten CRDs of over a megabyte together. */
export function largeOperator(): BenchOperator {
  if (hasShared) return realOperator(['prometheus', '0.65.1', '0.70.0']);
  const size = { crds: 10, properties: 700 };
  return inventedOperator('large-operator', size);
}

/** One of its twelve objects differs between the versions, and a megabyte of CRDs does not. */
export function barelyChangedOperator(): BenchOperator {
  if (hasShared) return realOperator(['percona-server-mongodb-operator', '1.16.0', '1.16.1']);
  return inventedOperator('barely-changed', { crds: 8, properties: 700 });
}

/** Half of its objects differ between the versions, CRDs of a megabyte among them. */
export function halfChangedOperator(): BenchOperator {
  if (hasShared) return realOperator(['argocd-operator', '0.10.1', '0.11.0']);
  return inventedOperator('half-changed', { crds: 8, properties: 700, changesCrds: true });
}

/** Real ones, as many as asked for: their packages ask for no webhooks and their CRDs are of today. */
export function manyOperators(count: number): readonly BenchOperator[] {
  if (hasShared) return REAL.slice(0, count).map(realOperator);
  return Array.from({ length: count }, (_, index) =>
    inventedOperator(`operator-${index}`, { crds: 4, properties: index % 5 === 0 ? 400 : 30 }),
  );
}

/** The least that makes an operator: one Deployment with its rights and a CRD of a few fields. */
export function tinyOperators(count: number, prefix = 'tiny'): readonly BenchOperator[] {
  return Array.from({ length: count }, (_, index) =>
    inventedOperator(`${prefix}-${index}`, { crds: 1, properties: 3 }),
  );
}

/** The smallest operator, with a webhook if any operator has one, since the first webhook loads the code for that. */
export function warmUpFor(operators: readonly BenchOperator[]): BenchOperator {
  const webhooks = operators.some((operator) => objectsOf(operator, operator.to).some(isWebhook));
  return inventedOperator('warm-up', { crds: 1, properties: 3, webhooks });
}

function isWebhook({ kind }: KubeObject): boolean {
  return kind.endsWith('WebhookConfiguration');
}

/** The objects that a version renders to, as Slipway applies them. */
export function objectsOf({ name }: BenchOperator, { files }: BenchVersion): readonly KubeObject[] {
  const rendered = renderBundle(parseBundle(files), { namespace: name, certificates: 'manager' });
  const owner = { namespace: name, name };
  return prepareObjects(rendered, { owner, package: name, revision: `${name}-1`, installNamespace: name });
}

/** Package, an older version, and one that can follow it. */
type RealPackage = readonly [name: string, from: string, to: string];

const REAL: readonly RealPackage[] = [
  ['dns-operator', '0.2.0', '0.6.0'],
  ['limitador-operator', '0.10.0', '0.11.0'],
  ['k8gb', '0.13.0', '0.14.0'],
  ['trident-operator', '26.2.0', '26.2.1'],
  ['kairos-operator', '2.1.1', '2.2.0'],
  ['dell-csm-operator', '1.11.2', '1.11.3'],
  ['leaksignal-operator', '1.6.2', '1.6.3'],
  ['gitlab-runner-operator', '1.51.2', '1.52.0'],
  ['project-quay', '3.12.3', '3.13.0'],
  ['sosivio', '2.0.0-150', '2.1.0-158'],
  ['prometheus', '0.65.1', '0.70.0'],
  ['tidb-operator', '1.3.0', '1.3.1'],
  ['hive-operator', '2.5.3514-4052426', '2.5.3516-a2ed9b3'],
  ['kuadrant-operator', '0.10.0', '0.11.0'],
  ['clickhouse', '0.27.1', '0.27.2'],
  ['multicluster-operators-subscription', '0.4.0', '0.4.1'],
  ['aqua', '2022.4.17', '2022.4.18'],
  ['silicom-sts-operator', '0.0.5', '0.0.6'],
  ['jhipster-online-operator', '0.1.0', '1.1.2'],
  ['apicast-community-operator', '0.6.0', '0.7.1'],
  ['kong', '0.9.0', '0.9.0'],
  ['apimatic-kubernetes-operator', '0.0.1', '0.0.1'],
  ['bpfd-operator', '0.3.0', '0.3.0'],
  ['kubevirt-wol', '0.0.2', '0.0.2'],
  ['storage-based-remediation', '0.3.0', '0.3.0'],
];

function realOperator([name, from, to]: RealPackage): BenchOperator {
  const at = (version: string): BenchVersion => ({
    version,
    files: readTree(join(devSet(), 'operators', name, version)),
  });
  return { name, from: at(from), to: at(to) };
}

interface Size {
  readonly crds: number;
  /** Fields of each CRD; about 150 bytes each. */
  readonly properties: number;
  readonly webhooks?: boolean;
  /** Whether the CRDs of the second version have a further field. */
  readonly changesCrds?: boolean;
}

/** An operator of any size, whose versions differ in the image of its Deployment. */
export function inventedOperator(name: string, size: Size): BenchOperator {
  const at = (version: string): BenchVersion => ({ version, files: inventedBundle({ name, version }, size) });
  return { name, from: at('1.0.0'), to: at('1.1.0') };
}

interface Identity {
  readonly name: string;
  readonly version: string;
}

function inventedBundle(
  { name, version }: Identity,
  { crds, properties: fields, webhooks = false, changesCrds = false }: Size,
): ReadonlyMap<string, Uint8Array> {
  const kinds = Array.from({ length: crds }, (_, index) => `Widget${index}`);
  const properties = changesCrds && version !== '1.0.0' ? fields + 1 : fields;
  const files = new Map<string, object>([['manifests/operator.json', inventedCsv({ name, version }, webhooks)]]);
  for (const kind of kinds) files.set(`manifests/${kind}.json`, inventedCrd(`${name}.example.com`, kind, properties));
  files.set('metadata/annotations.yaml', {
    annotations: { 'operators.operatorframework.io.bundle.package.v1': name },
  });
  return new Map([...files].map(([path, content]) => [path, Buffer.from(JSON.stringify(content))]));
}

function inventedCsv({ name, version }: Identity, webhooks: boolean): object {
  const labels = { app: name };
  const container = { name: 'manager', image: `registry.example/${name}:v${version}` };
  const template = { metadata: { labels }, spec: { serviceAccountName: name, containers: [container] } };
  const rules = [{ apiGroups: [`${name}.example.com`], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: `${name}.v${version}` },
    spec: {
      version,
      ...(webhooks && { webhookdefinitions: ['Validating', 'Mutating'].map((type) => inventedWebhook(name, type)) }),
      installModes: [{ type: 'AllNamespaces', supported: true }],
      install: {
        strategy: 'deployment',
        spec: {
          clusterPermissions: [{ serviceAccountName: name, rules }],
          deployments: [{ name, spec: { replicas: 1, selector: { matchLabels: labels }, template } }],
        },
      },
    },
  };
}

function inventedWebhook(name: string, type: string): object {
  const rules = [{ apiGroups: [`${name}.example.com`], apiVersions: ['v1'], operations: ['CREATE'], resources: ['*'] }];
  return {
    type: `${type}AdmissionWebhook`,
    deploymentName: name,
    generateName: `${type.toLowerCase()}.${name}.example.com`,
    containerPort: 443,
    sideEffects: 'None',
    failurePolicy: 'Ignore',
    admissionReviewVersions: ['v1'],
    webhookPath: '/',
    rules,
  };
}

function inventedCrd(group: string, kind: string, properties: number): object {
  const singular = kind.toLowerCase();
  const field = (index: number): object => ({
    type: 'object',
    description: `Field ${index} of the ${kind}, with a sentence about it that is as long as such sentences are.`,
    properties: { value: { type: 'string', maxLength: 64 } },
  });
  const fields = Object.fromEntries(Array.from({ length: properties }, (_, index) => [`f${index}`, field(index)]));
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields } } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
