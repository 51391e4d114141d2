import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeBundle, makeCrd, makeDeployment, makeFiles, type BundleParts } from '../testing/bundle.ts';
import type { CheckOptions } from './check.ts';
import { CHECKS } from './checks.ts';
import { describeFinding, SUITES, validateBundle, type BundleFinding } from './validate.ts';

const OWNED = { owned: [{ name: 'gadgets.example.com', version: 'v1', kind: 'Gadget', description: 'A gadget.' }] };
const ICON = { base64data: 'aWNvbg==', mediatype: 'image/png' };

/** A bundle in which no check finds anything. */
const CLEAN: BundleParts = {
  metadata: {
    annotations: {
      'alm-examples': '[{"apiVersion": "example.com/v1", "kind": "Gadget"}]',
      capabilities: 'Full Lifecycle',
      categories: 'Database, Storage',
    },
  },
  deployments: [
    makeDeployment('gadget-manager', {
      containers: [{ name: 'manager', image: 'quay.io/example/gadget:v1', resources: { requests: { cpu: '1' } } }],
    }),
  ],
  objects: [makeCrd()],
  spec: {
    customresourcedefinitions: OWNED,
    provider: { name: 'Example' },
    maintainers: [{ name: 'Ann', email: 'ann@example.com' }],
    links: [{ name: 'Docs', url: 'https://example.com/docs' }],
    icon: [ICON],
    minKubeVersion: '1.27.0',
  },
};

function changed(spec: Readonly<Record<string, unknown>>): BundleParts {
  return { ...CLEAN, spec: { ...CLEAN.spec, ...spec } };
}

function annotated(annotations: Readonly<Record<string, string>>): BundleParts {
  const kept = CLEAN.metadata?.['annotations'] as object;
  return { ...CLEAN, metadata: { annotations: { ...kept, ...annotations } } };
}

function holding(...objects: readonly unknown[]): BundleParts {
  return { ...CLEAN, objects: [makeCrd(), ...objects] };
}

const VERSION = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
const CRD = makeCrd() as Readonly<Record<string, unknown>>;

function withCrd(spec: Readonly<Record<string, unknown>>): BundleParts {
  return { ...CLEAN, objects: [makeCrd(spec)] };
}

function withRoot(openAPIV3Schema: Readonly<Record<string, unknown>>): BundleParts {
  return withCrd({ versions: [{ ...VERSION, schema: { openAPIV3Schema } }] });
}

function withColumn(fields: Readonly<Record<string, unknown>>): BundleParts {
  const column = {
    name: 'Phase',
    type: 'string',
    ...('JSONPath' in fields ? {} : { jsonPath: '.status.phase' }),
    ...fields,
  };
  return withCrd({ versions: [{ ...VERSION, additionalPrinterColumns: [column] }] });
}

const WEBHOOK = { type: 'ValidatingAdmissionWebhook', generateName: 'v', deploymentName: 'gadget-manager', rules: [] };
const BETA = { apiVersion: 'rbac.authorization.k8s.io/v1beta1', kind: 'Role', metadata: { name: 'r' }, rules: [] };

function named(kind: string, name: string): unknown {
  return { apiVersion: 'v1', kind, metadata: { name } };
}

function labelled(metadata: object): unknown {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', ...metadata } };
}

const rule = (fields: object): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'r' },
  rules: [fields],
});

interface Row {
  readonly check: string;
  readonly because: string;
  readonly parts: BundleParts;
  readonly options?: CheckOptions;
  readonly level?: BundleFinding['level'];
  /** Part of the finding's path. */
  readonly path?: string;
}

/** For each check an example that it finds. Those that make rendering refuse are in render.test.ts too. */
const ROWS: readonly Row[] = [
  {
    check: 'install-strategy',
    because: 'it is unknown',
    parts: changed({ install: { strategy: 'x' } }),
    path: 'strategy',
  },
  { check: 'package-name', because: 'it is missing', parts: { ...CLEAN, files: { 'metadata/annotations.yaml': '' } } },
  { check: 'object-names', because: 'an object has none', parts: holding({ kind: 'Secret' }), path: 'metadata.name' },
  { check: 'object-names', because: 'one has capitals', parts: holding(named('Secret', 'A_b')), path: 'metadata.name' },
  {
    check: 'object-names',
    because: 'one is too long',
    parts: holding(named('ConfigMap', 'a'.repeat(254))),
    path: 'metadata.name',
  },
  {
    check: 'object-names',
    because: 'a Service has a dot',
    parts: holding(named('Service', 'a.b')),
    path: 'metadata.name',
  },
  { check: 'object-names', because: 'a role has a slash', parts: holding({ ...BETA, metadata: { name: 'a/b' } }) },
  {
    check: 'object-metadata',
    because: 'the key of a label is invalid',
    parts: holding(labelled({ labels: { 'bad key!': 'x' } })),
    path: 'metadata.labels[bad key!]',
  },
  {
    check: 'object-metadata',
    because: 'a label is too long',
    parts: holding(labelled({ labels: { a: 'x'.repeat(64) } })),
    path: 'metadata.labels[a]',
  },
  {
    check: 'object-metadata',
    because: 'a label is a number',
    parts: holding(labelled({ labels: { a: 1 } })),
    path: 'metadata.labels[a]',
  },
  {
    check: 'object-metadata',
    because: 'the annotations are a list',
    parts: holding(labelled({ annotations: ['a'] })),
    path: 'metadata.annotations',
  },
  {
    check: 'object-metadata',
    because: 'an annotation is a boolean',
    parts: holding(labelled({ annotations: { 'A.example/B': true } })),
    path: 'metadata.annotations[A.example/B]',
  },
  {
    check: 'object-metadata',
    because: 'the CSV passes on an invalid annotation',
    parts: annotated({ 'a b': 'c' }),
    path: 'metadata.annotations[a b]',
  },
  {
    check: 'object-metadata',
    because: 'Pods get an invalid label',
    parts: { ...CLEAN, deployments: [{ name: 'd', label: { a: '-' }, spec: { selector: {}, template: {} } }] },
    path: 'spec.install.spec.deployments[0].label[a]',
  },
  {
    check: 'object-size',
    because: 'a Secret holds more than a mebibyte',
    parts: holding({ ...(named('Secret', 's') as object), stringData: { a: 'x'.repeat(1_048_577) } }),
    path: 'data',
  },
  {
    check: 'object-size',
    because: 'a Secret holds more than a mebibyte as base64',
    parts: holding({ ...(named('Secret', 's') as object), data: { a: 'YWFh'.repeat(349_526) } }),
    path: 'data',
  },
  {
    check: 'service-account-names',
    because: 'it is no name',
    parts: { ...CLEAN, permissions: [{ serviceAccountName: 'Bad_Name!', rules: [] }] },
    path: 'spec.install.spec.permissions[0].serviceAccountName',
  },
  {
    check: 'webhook-ports',
    because: 'one is too high',
    parts: changed({ webhookdefinitions: [{ ...WEBHOOK, containerPort: 70_000 }] }),
    path: 'spec.webhookdefinitions[0].containerPort',
  },
  {
    check: 'webhook-ports',
    because: 'one is beyond 2^53',
    parts: changed({ webhookdefinitions: [{ ...WEBHOOK, containerPort: 10n ** 17n }] }),
    path: 'spec.webhookdefinitions[0].containerPort',
  },
  {
    check: 'webhook-ports',
    because: 'a target is neither a port nor the name of one',
    parts: changed({ webhookdefinitions: [{ ...WEBHOOK, targetPort: 'the web' }] }),
    path: 'spec.webhookdefinitions[0].targetPort',
  },
  {
    check: 'webhook-ports',
    because: 'one port leads to two targets',
    parts: changed({
      webhookdefinitions: [
        { ...WEBHOOK, targetPort: 9443 },
        { ...WEBHOOK, generateName: 'w', targetPort: 9444 },
      ],
    }),
    path: 'spec.webhookdefinitions[1].targetPort',
  },
  {
    check: 'api-service-names',
    because: 'there is no group',
    parts: changed({
      apiservicedefinitions: { owned: [{ version: 'v1', kind: 'A', deploymentName: 'gadget-manager' }] },
    }),
    path: 'spec.apiservicedefinitions.owned[0]',
  },
  {
    check: 'object-size',
    because: 'no API server stores it',
    parts: holding({ kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'x'.repeat(1_600_000) } }),
  },
  {
    check: 'object-size',
    because: 'the annotations of the CSV do not fit on a Pod',
    parts: { ...CLEAN, metadata: { annotations: { 'alm-examples': '[]', a: 'x'.repeat(262_144) } } },
    path: 'metadata.annotations',
  },
  {
    check: 'object-size',
    because: 'the properties do not fit on a Pod',
    parts: {
      ...CLEAN,
      files: { 'metadata/properties.yaml': `properties: [{type: a, value: ${'x'.repeat(262_144)}}]` },
    },
    path: 'metadata.annotations',
  },
  {
    check: 'deployment-names',
    because: 'one object has no name',
    parts: { ...CLEAN, deployments: [makeDeployment('')] },
  },
  { check: 'crd-names', because: 'a CRD is there twice', parts: holding(makeCrd()) },
  {
    check: 'crd-api-version',
    because: 'it is no longer served',
    parts: { ...CLEAN, objects: [{ ...(makeCrd() as object), apiVersion: 'apiextensions.k8s.io/v1beta1' }] },
    path: 'apiVersion',
  },
  {
    check: 'crd-fields',
    because: 'served is a word',
    parts: withCrd({ versions: [{ ...VERSION, served: 'yes' }] }),
    path: 'spec.versions[0].served',
  },
  { check: 'crd-fields', because: 'the names are a number', parts: withCrd({ names: 7 }), path: 'spec.names' },
  {
    check: 'crd-fields',
    because: 'an annotation is a list',
    parts: { ...CLEAN, objects: [{ ...CRD, metadata: { name: 'gadgets.example.com', annotations: { a: ['b'] } } }] },
    path: 'metadata.annotations.a',
  },
  {
    check: 'crd-fields',
    because: 'a schema is a text',
    parts: withCrd({ versions: [{ ...VERSION, schema: { openAPIV3Schema: { properties: { a: 'string' } } } }] }),
    path: 'spec.versions[0].schema.openAPIV3Schema.properties.a',
  },
  { check: 'owned-crds-present', because: 'one is missing', parts: { ...CLEAN, objects: [] }, path: 'owned[0]' },
  {
    check: 'supported-kinds',
    because: 'a Job may not be there',
    parts: holding({ kind: 'Job', metadata: { name: 'j' } }),
  },
  {
    check: 'supported-kinds',
    because: 'the deletion of a Namespace would delete all that others have in it',
    parts: holding({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }),
  },
  {
    check: 'supported-kinds',
    because: 'an object of another group has a kind of the same name',
    parts: holding({ apiVersion: 'secrets.example.org/v1', kind: 'Secret', metadata: { name: 's' } }),
  },
  {
    check: 'supported-kinds',
    because: 'a ClusterRole is of no version of its group',
    parts: holding({ apiVersion: 'v1', kind: 'ClusterRole', metadata: { name: 'r' } }),
  },
  {
    check: 'supported-kinds',
    because: 'the group is Kubernetes’ own, whatever CRD is beside it',
    parts: holding(
      { apiVersion: 'storage.k8s.io/v1', kind: 'Gadget', metadata: { name: 'g' } },
      makeCrd({ group: 'storage.k8s.io' }),
    ),
  },
  {
    check: 'supported-kinds',
    because: 'the group is Slipway’s own, whatever CRD is beside it',
    parts: holding(
      { apiVersion: 'slipway.dev/v1', kind: 'Gadget', metadata: { name: 'g' } },
      makeCrd({ group: 'slipway.dev' }),
    ),
  },
  {
    check: 'supported-kinds',
    because: 'the CRD of the bundle does not serve the version of its object',
    parts: holding({ apiVersion: 'example.com/v2', kind: 'Gadget', metadata: { name: 'g' } }),
    path: 'apiVersion',
  },
  {
    check: 'webhook-names',
    because: 'it is no name',
    parts: changed({ webhookdefinitions: [{ ...WEBHOOK, generateName: 'V' }] }),
  },
  {
    check: 'webhook-deployments',
    because: 'there is none',
    parts: changed({ webhookdefinitions: [{ ...WEBHOOK, deploymentName: 'x' }] }),
    path: 'webhookdefinitions[0].deploymentName',
  },
  {
    check: 'webhook-deployments',
    because: 'there is none for the APIService either',
    parts: changed({ apiservicedefinitions: { owned: [{ name: 'a', group: 'g', version: 'v1', kind: 'A' }] } }),
    path: 'apiservicedefinitions.owned[0]',
  },
  {
    check: 'webhook-rules',
    because: 'it would come between',
    parts: changed({ webhookdefinitions: [{ ...WEBHOOK, rules: [{ apiGroups: ['slipway.dev'] }] }] }),
    path: 'rules[0]',
  },
  {
    check: 'conversion-webhooks',
    because: 'two convert one CRD',
    parts: changed({
      webhookdefinitions: ['a', 'b'].map((generateName) => ({
        ...WEBHOOK,
        generateName,
        type: 'ConversionWebhook',
        conversionCRDs: ['gadgets.example.com'],
      })),
    }),
  },
  {
    check: 'csv-name',
    because: 'it is too long',
    parts: { ...CLEAN, metadata: { name: `a${'b'.repeat(63)}.v1.0.0` } },
  },
  {
    check: 'csv-fields',
    because: 'it has no displayName',
    parts: changed({ displayName: '' }),
    path: 'spec.displayName',
  },
  {
    check: 'csv-fields',
    because: 'nothing would be installed',
    parts: { ...CLEAN, deployments: [] },
    level: 'warning',
  },
  { check: 'install-modes', because: 'there are none', parts: changed({ installModes: [] }) },
  {
    check: 'install-modes',
    because: 'one does not exist',
    parts: changed({ installModes: [{ type: 'AllNamespace', supported: true }] }),
    path: 'installModes[0].type',
  },
  { check: 'install-modes', because: 'none is supported', parts: { ...CLEAN, modes: [] } },
  { check: 'min-kube-version', because: 'it is no version', parts: changed({ minKubeVersion: 'latest' }) },
  { check: 'annotation-names', because: 'of the wrong case', parts: annotated({ 'olm.skiprange': '<1.0.0' }) },
  {
    check: 'annotation-names',
    because: 'properties belong elsewhere',
    parts: annotated({ 'olm.properties': '[]' }),
    level: 'warning',
  },
  { check: 'examples', because: 'they are no JSON', parts: annotated({ 'alm-examples': '[{' }) },
  { check: 'examples', because: 'they are no list', parts: annotated({ 'alm-examples': '{"a": 1}' }) },
  {
    check: 'examples',
    because: 'of another kind',
    parts: annotated({ 'alm-examples': '[{"apiVersion": "a/v1", "kind": "B"}]' }),
  },
  { check: 'examples', because: 'there are none', parts: { ...CLEAN, metadata: {} }, level: 'warning' },
  {
    check: 'owned-crd-versions',
    because: 'the version differs',
    parts: changed({ customresourcedefinitions: { owned: [{ ...OWNED.owned[0], version: 'v2' }] } }),
  },
  { check: 'owned-crd-versions', because: 'it is not owned', parts: changed({ customresourcedefinitions: {} }) },
  ...[
    'latest',
    '',
    '1.2.x',
    '1.2-rc.1',
    '1.0.0-01',
    '1.0.0+',
    '1.0.0-99999999999999999999',
    '99999999999999999999.0.0',
  ].map((version) => ({
    check: 'operator-version',
    because: `${JSON.stringify(version)} is no version`,
    parts: changed({ version }),
    path: 'spec.version',
  })),
  { check: 'crd-structure', because: 'the name is wrong', parts: withCrd({ group: 'x.com' }), path: 'metadata.name' },
  { check: 'crd-structure', because: 'the group is no domain', parts: withCrd({ group: 'X' }), path: 'spec.group' },
  {
    check: 'crd-structure',
    because: 'a name of the kind is invalid',
    parts: withCrd({ names: { kind: 'My Gadget', plural: 'gadgets' } }),
    path: 'spec.names.kind',
  },
  { check: 'crd-structure', because: 'no version is stored', parts: withCrd({ versions: [] }), path: 'spec.versions' },
  {
    check: 'crd-structure',
    because: 'a version has no proper name',
    parts: withCrd({ versions: [{ ...VERSION, name: '1.0' }] }),
    path: 'spec.versions[0].name',
  },
  {
    check: 'crd-structure',
    because: 'a version has no schema',
    parts: withCrd({ versions: [{ ...VERSION, schema: {} }] }),
    path: 'spec.versions[0].schema.openAPIV3Schema',
  },
  {
    check: 'crd-structure',
    because: 'a schema is not of an object',
    parts: withCrd({ versions: [{ ...VERSION, schema: { openAPIV3Schema: { type: 'string' } } }] }),
    path: 'spec.versions[0].schema.openAPIV3Schema.type',
  },
  {
    check: 'crd-structure',
    because: 'a schema that keeps unknown fields is not of an object',
    parts: withRoot({ type: 'string', 'x-kubernetes-preserve-unknown-fields': true }),
    path: 'spec.versions[0].schema.openAPIV3Schema.type',
  },
  {
    check: 'crd-structure',
    because: 'a schema has no type',
    parts: withRoot({ properties: {} }),
    path: 'spec.versions[0].schema.openAPIV3Schema.type',
  },
  {
    check: 'crd-structure',
    because: 'an embedded object is not marked as an object',
    parts: withRoot({ 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true }),
    path: 'spec.versions[0].schema.openAPIV3Schema.type',
  },
  {
    check: 'crd-structure',
    because: 'a schema is of a number or a text',
    parts: withRoot({ 'x-kubernetes-int-or-string': true }),
    path: 'spec.versions[0].schema.openAPIV3Schema.type',
  },
  { check: 'crd-structure', because: 'the scope is unknown', parts: withCrd({ scope: 'Global' }), path: 'spec.scope' },
  {
    check: 'crd-structure',
    because: 'the scope is a number beyond 2^53',
    parts: withCrd({ scope: 10n ** 17n }),
    path: 'spec.scope',
  },
  {
    check: 'crd-structure',
    because: 'unknown fields are kept',
    parts: withCrd({ preserveUnknownFields: true }),
    path: 'spec.preserveUnknownFields',
  },
  {
    check: 'crd-structure',
    because: 'the strategy is a number beyond 2^53',
    parts: withCrd({ conversion: { strategy: 10n ** 17n } }),
    path: 'spec.conversion.strategy',
  },
  {
    check: 'crd-structure',
    because: 'the conversion webhook has no address',
    parts: withCrd({ conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } } }),
    path: 'spec.conversion.webhook.clientConfig',
  },
  {
    check: 'crd-structure',
    because: 'no version of reviews is named',
    parts: withCrd({ conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a.example' } } } }),
    path: 'spec.conversion.webhook.conversionReviewVersions',
  },
  {
    check: 'ca-bundles',
    because: 'the authority of the conversion webhook is no certificate',
    parts: withCrd({
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://a.example', caBundle: 'Cg==' }, conversionReviewVersions: ['v1'] },
      },
    }),
    path: 'spec.conversion.webhook.clientConfig.caBundle',
  },
  {
    check: 'crd-columns',
    because: 'a column has its path under another name',
    parts: withColumn({ JSONPath: '.status.phase' }),
    path: 'spec.versions[0].additionalPrinterColumns[0].jsonPath',
  },
  {
    check: 'crd-columns',
    because: 'a path has no dot',
    parts: withColumn({ jsonPath: 'status' }),
    path: '[0].jsonPath',
  },
  { check: 'crd-columns', because: 'a type is unknown', parts: withColumn({ type: 'text' }), path: '[0].type' },
  { check: 'crd-columns', because: 'a column has no name', parts: withColumn({ name: '' }), path: '[0].name' },
  {
    check: 'service-accounts',
    because: 'another one of that name is generated',
    parts: holding({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gadget' } }),
  },
  {
    check: 'webhook-types',
    because: 'it is never called',
    parts: changed({ webhookdefinitions: [{ ...WEBHOOK, type: 'Validating' }] }),
    level: 'warning',
  },
  {
    check: 'unknown-fields',
    because: 'it is dropped from a Deployment',
    parts: { ...CLEAN, deployments: [makeDeployment('d', { hostNetwrok: true })] },
    level: 'warning',
    path: 'spec.install.spec.deployments[0].spec.template.spec.hostNetwrok',
  },
  {
    check: 'unknown-fields',
    because: 'it is dropped from a CRD',
    parts: { ...CLEAN, objects: [makeCrd({ subresources: {} })] },
    level: 'warning',
    path: 'spec.subresources',
  },
  {
    check: 'disruption-budgets',
    because: 'the budget allows no disruption',
    parts: holding({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'p' },
      spec: { maxUnavailable: 0 },
    }),
  },
  {
    check: 'priority-classes',
    because: 'the priority is for all Pods',
    parts: holding({ kind: 'PriorityClass', metadata: { name: 'p' }, globalDefault: true }),
    path: 'globalDefault',
  },
  {
    check: 'rbac-rules',
    because: 'budgets disturb',
    parts: holding(rule({ apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['*'] })),
    level: 'warning',
    path: 'rules[0]',
  },
  {
    check: 'rbac-rules',
    because: 'constraints protect all',
    parts: holding(
      rule({
        apiGroups: ['security.openshift.io'],
        resources: ['securitycontextconstraints'],
        resourceNames: ['anyuid'],
        verbs: ['patch'],
      }),
    ),
  },
  {
    check: 'rbac-rules',
    because: 'constraints protect all from the permissions of the CSV too',
    parts: {
      ...CLEAN,
      clusterPermissions: [
        {
          serviceAccountName: 'gadget',
          rules: [
            {
              apiGroups: ['security.openshift.io'],
              resources: ['securitycontextconstraints'],
              resourceNames: ['privileged'],
              verbs: ['update'],
            },
          ],
        },
      ],
    },
    path: 'spec.install.spec.clusterPermissions[0].rules[0]',
  },
  {
    check: 'crd-permissions',
    because: 'the rights concern all CRDs of the cluster',
    parts: {
      ...CLEAN,
      clusterPermissions: [
        {
          serviceAccountName: 'gadget',
          rules: [
            { apiGroups: [''], resources: ['*'], verbs: ['*'] },
            { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'patch'] },
          ],
        },
      ],
    },
    level: 'warning',
    path: 'spec.install.spec.clusterPermissions[0].rules[1]',
  },
  {
    check: 'crd-permissions',
    because: 'a rule for everything includes CRDs',
    parts: holding(rule({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] })),
    level: 'warning',
    path: 'rules[0]',
  },
  {
    check: 'related-images',
    because: 'one is no reference',
    parts: changed({
      relatedImages: [
        { name: 'a', image: 'quay.io/a/b:v1' },
        { name: 'b', image: 'oci://x/y@' },
      ],
    }),
    path: 'spec.relatedImages[1].image',
  },
  {
    check: 'related-images',
    because: 'one is missing',
    parts: changed({ relatedImages: [{ name: 'a' }] }),
    level: 'warning',
    path: 'spec.relatedImages[0].image',
  },
  {
    check: 'related-images',
    because: 'a container has an invalid tag',
    parts: { ...CLEAN, deployments: [makeDeployment('d', { containers: [{ name: 'c', image: 'quay.io/a/b:$TAG' }] })] },
    path: 'spec.install.spec.deployments[0].spec.template.spec.containers[0].image',
  },
  {
    check: 'related-images',
    because: 'a container that runs first has an invalid tag',
    parts: {
      ...CLEAN,
      deployments: [makeDeployment('d', { initContainers: [{ name: 'c', image: 'quay.io/a/b:$TAG' }] })],
    },
    path: 'spec.install.spec.deployments[0].spec.template.spec.initContainers[0].image',
  },
  {
    check: 'related-images',
    because: 'a volume has an invalid tag',
    parts: {
      ...CLEAN,
      deployments: [makeDeployment('d', { volumes: [{ name: 'v', image: { reference: 'quay.io/a/b:$TAG' } }] })],
    },
    path: 'spec.install.spec.deployments[0].spec.template.spec.volumes[0].image.reference',
  },
  {
    check: 'related-images',
    because: 'a volume of an image names none',
    parts: { ...CLEAN, deployments: [makeDeployment('d', { volumes: [{ name: 'v', image: {} }] })] },
    level: 'warning',
    path: 'spec.install.spec.deployments[0].spec.template.spec.volumes[0].image.reference',
  },
  {
    check: 'architectures',
    because: 'one is unknown',
    parts: { ...CLEAN, metadata: { ...CLEAN.metadata, labels: { 'operatorframework.io/arch.x86_64': 'supported' } } },
    level: 'warning',
    path: 'metadata.labels[operatorframework.io/arch.x86_64]',
  },
  {
    check: 'architectures',
    because: 'the value has no effect',
    parts: { ...CLEAN, metadata: { ...CLEAN.metadata, labels: { 'operatorframework.io/os.linux': 'true' } } },
    level: 'warning',
  },
  {
    check: 'dependencies',
    because: 'the file is broken',
    parts: { ...CLEAN, files: { 'metadata/dependencies.yaml': '[' } },
  },
  {
    check: 'dependencies',
    because: 'of an unknown type',
    parts: { ...CLEAN, files: { 'metadata/dependencies.yaml': 'dependencies: [{type: x, value: {}}]' } },
    path: 'dependencies[0]',
  },
  {
    check: 'dependencies',
    because: 'incomplete',
    parts: { ...CLEAN, files: { 'metadata/dependencies.yaml': 'dependencies: [{type: olm.gvk, value: {group: g}}]' } },
  },
  {
    check: 'metadata-annotations',
    because: 'there is no channel',
    parts: { ...CLEAN, files: { 'metadata/annotations.yaml': 'annotations: {a: b}' } },
    level: 'warning',
  },
  {
    check: 'bundle-size',
    because: 'OLM v0 cannot unpack it',
    parts: CLEAN,
    options: { files: new Map([...makeFiles(CLEAN), ['manifests/noise', noise(1_200_000)]]) },
  },
  {
    check: 'bundle-size',
    because: 'it comes near',
    parts: CLEAN,
    options: { files: new Map([['manifests/a', noise(950_000)]]) },
    level: 'warning',
  },
  {
    check: 'object-identities',
    because: 'two differ only in their namespaces',
    parts: holding(
      ...['own', 'kube-system'].map((namespace) => ({
        ...rule({ verbs: [] }),
        kind: 'Role',
        metadata: { name: 'r', namespace },
      })),
    ),
    level: 'warning',
  },
  ...['webhookdefinitions', 'apiservicedefinitions'].map((field): Row => {
    const call = { group: 'g.example.com', version: 'v1', kind: 'Reading', name: 'readings', ...WEBHOOK };
    const called = changed({ [field]: field === 'webhookdefinitions' ? [call] : { owned: [call] } });
    return {
      check: 'object-identities',
      because: `the Service of ${field} has the name of one of the bundle`,
      parts: { ...called, objects: [makeCrd(), named('Service', 'gadget-manager-service')] },
      level: 'warning',
    };
  }),
  {
    check: 'hidden-files',
    because: 'macOS left one',
    parts: CLEAN,
    options: { files: new Map([...makeFiles(CLEAN), ['manifests/.DS_Store', noise(10)]]) },
    level: 'warning',
  },
  { check: 'provider', because: 'it has no name', parts: changed({ provider: {} }) },
  {
    check: 'maintainers',
    because: 'they have no address',
    parts: changed({ maintainers: [{ name: 'Ann', email: 'ann' }] }),
  },
  { check: 'links', because: 'they lead nowhere', parts: changed({ links: [{ name: 'Docs', url: 'https//x' }] }) },
  { check: 'capabilities', because: 'the level is unknown', parts: annotated({ capabilities: 'All' }) },
  { check: 'categories', because: 'one is unknown', parts: annotated({ categories: 'Database, Magic' }) },
  { check: 'categories', because: 'the hub has others', parts: CLEAN, options: { categories: ['Database'] } },
  { check: 'icon', because: 'there are two', parts: changed({ icon: [ICON, ICON] }) },
  { check: 'icon', because: 'it is no picture', parts: changed({ icon: [{ ...ICON, mediatype: 'text/html' }] }) },
  { check: 'icon', because: 'there is none', parts: changed({ icon: [] }), level: 'warning' },
  { check: 'csv-version', because: 'there is none', parts: changed({ version: '' }), path: 'spec.version' },
  {
    check: 'csv-version',
    because: 'the name has none',
    parts: { ...CLEAN, metadata: { name: 'gadget' } },
    level: 'warning',
  },
  { check: 'max-openshift-version', because: 'removed APIs need one', parts: holding(BETA) },
  {
    check: 'max-openshift-version',
    because: 'it is too high',
    parts: {
      ...annotated({ 'olm.properties': '[{"type":"olm.maxOpenShiftVersion","value":"4.9"}]' }),
      objects: [makeCrd(), BETA],
    },
  },
  {
    check: 'openshift-label',
    because: 'it is missing',
    parts: holding(BETA),
    options: { dockerfile: 'FROM scratch\n' },
  },
  { check: 'openshift-label', because: 'it has no end', parts: holding(BETA), options: { dockerfile: label('v4.6') } },
  {
    check: 'openshift-label',
    because: 'it ends too late',
    parts: holding(BETA),
    options: { dockerfile: label('v4.6-v4.9') },
  },
  {
    check: 'openshift-label',
    because: 'it is one that is too new',
    parts: holding(BETA),
    options: { dockerfile: label('=v4.10') },
  },
  { check: 'openshift-label', because: 'it cannot be seen', parts: holding(BETA), level: 'warning' },
  {
    check: 'resource-requests',
    because: 'a container has none',
    parts: { ...CLEAN, deployments: [makeDeployment('d')] },
    level: 'warning',
  },
  {
    check: 'channel-names',
    because: 'one is unusual',
    parts: {
      ...CLEAN,
      files: { 'metadata/annotations.yaml': 'annotations: {operators.operatorframework.io.bundle.channels.v1: alpha}' },
    },
    level: 'warning',
  },
  {
    check: 'crd-descriptions',
    because: 'one is empty',
    parts: changed({ customresourcedefinitions: { owned: [{ ...OWNED.owned[0], description: '' }] } }),
    level: 'warning',
  },
  {
    check: 'deprecated-images',
    because: 'it is gone',
    parts: {
      ...CLEAN,
      deployments: [
        makeDeployment('d', { containers: [{ name: 'c', image: 'gcr.io/kubebuilder/kube-rbac-proxy:v0.8' }] }),
      ],
    },
    level: 'warning',
  },
  { check: 'removed-apis', because: 'it was removed before', parts: holding(BETA) },
  {
    check: 'removed-apis',
    because: 'it may have been removed',
    parts: { ...holding(BETA), spec: { ...CLEAN.spec, minKubeVersion: '1.16' } },
    level: 'warning',
  },
  { check: 'removed-apis', because: 'the version is none', parts: CLEAN, options: { kubernetesVersion: 'new' } },
  {
    check: 'removed-apis',
    because: 'the rights are for a removed version, perhaps',
    parts: { ...CLEAN, permissions: [{ rules: [{ apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['get'] }] }] },
    level: 'warning',
    path: 'permissions[0].rules[0]',
  },
];

describe('the checks', () => {
  it.each(ROWS)('$check finds that $because', ({ check, parts, options = {}, level = 'error', path = '' }) => {
    const findings = validateBundle(makeBundle(parts), options).filter((finding) => finding.check === check);
    const found = findings.find((finding) => finding.level === level && (finding.path ?? '').includes(path));
    expect(found, JSON.stringify(findings)).toBeDefined();
    expect(found?.advice).not.toBe('');
    expect(describeFinding(found as BundleFinding)).toContain(found?.message);
  });

  it('the checks find nothing in a valid bundle', () => {
    expect(validateBundle(makeBundle(CLEAN), { files: makeFiles(CLEAN), kubernetesVersion: '1.36' })).toEqual([]);
  });

  it('every check is in the list and has a file, and each is proved here', () => {
    const names = CHECKS.map(({ name }) => name).sort();
    const files = readdirSync(import.meta.dirname).filter((name) => !/test|^(check|checks|validate)\.ts$/.test(name));
    expect(names).toEqual(files.map((name) => name.replace(/\.ts$/, '')).sort());
    expect([...new Set(ROWS.map(({ check }) => check))].sort()).toEqual(names);
    expect(new Set(CHECKS.map(({ suite }) => suite))).toEqual(new Set(SUITES));
  });

  it.each([
    {
      because: 'names of roles may have nearly any character',
      object: { ...BETA, metadata: { name: 'System:Role A' } },
    },
    {
      because: 'a role without apiVersion is a role nevertheless',
      object: { kind: 'ClusterRole', metadata: { name: 'a:b' }, rules: [] },
    },
    { because: 'an object has the longest name', object: named('Secret', 'a'.repeat(253)) },
    {
      because: 'a Secret holds a mebibyte',
      object: { ...(named('Secret', 's') as object), stringData: { a: 'x'.repeat(1 << 20) } },
    },
    { because: 'keys of annotations ignore case', object: labelled({ annotations: { 'Example.COM/A': 'b c' } }) },
    { because: 'a label may be empty', object: labelled({ labels: { 'a.b/c_D.e': '', f: null } }) },
    { because: 'an object has no labels', object: labelled({ labels: null, annotations: null }) },
  ])('the checks accept metadata that the API server accepts: $because', ({ object }) => {
    const found = validateBundle(makeBundle(holding(object)), { suites: ['install'] });
    expect(found).toEqual([]);
  });

  it.each([
    undefined,
    null,
    '1.0.0',
    'v1.0.0',
    ' 1.2 ',
    '1',
    '01.02.003',
    '1.0.0-rc.1+build.5',
    '2024.01.15-7',
    '1.2.-3',
  ])('take a version as the reference does: %j', (version) => {
    expect(validateBundle(makeBundle(changed({ version })), { suites: ['install'] })).toEqual([]);
  });

  const KEEPS = { 'x-kubernetes-preserve-unknown-fields': true };
  it.each([
    { because: 'the root keeps unknown fields and names no type', root: KEEPS },
    { because: 'the type is empty', root: { ...KEEPS, type: '' } },
    { because: 'the type is null', root: { ...KEEPS, type: null } },
    { because: 'the root has fields as well', root: { ...KEEPS, properties: { spec: { type: 'object' } } } },
    { because: 'the root says that it is an object', root: { ...KEEPS, type: 'object' } },
  ])('the checks accept a schema that the API server accepts: $because', ({ root }) => {
    expect(validateBundle(makeBundle(withRoot(root)), { suites: ['install'] })).toEqual([]);
  });

  it('the checks accept a consistent repetition, or none', () => {
    const webhookdefinitions = [
      WEBHOOK,
      { ...WEBHOOK, generateName: 'w', containerPort: 443, targetPort: 443 },
      { ...WEBHOOK, generateName: 'x', containerPort: 8443, targetPort: 'https' },
    ];
    expect(validateBundle(makeBundle(changed({ webhookdefinitions })), { suites: ['install'] })).toEqual([]);
  });

  it('the number of findings is bounded', () => {
    const labels = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`a${index}`, index]));
    const found = validateBundle(makeBundle(holding(labelled({ labels }))), { suites: ['install'] });
    expect(found).toHaveLength(501);
    expect(found.at(-1)).toMatchObject({ level: 'error', check: 'object-metadata' });
    expect(found.at(-1)?.message).toContain('more than 500');
  });

  it.each([
    {
      because: 'names of Deployments',
      parts: {
        deployments: Array.from({ length: 100 }, (_, index) => makeDeployment(`${LONG_NAME}${index}`)),
        spec: { webhookdefinitions: [WEBHOOK] },
      },
      check: 'webhook-deployments',
    },
    {
      because: 'versions of a CRD',
      parts: {
        objects: [
          makeCrd({ versions: Array.from({ length: 100 }, (_, at) => ({ name: `${LONG_NAME}${at}`, served: true })) }),
          { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a' } },
        ],
      },
      check: 'supported-kinds',
    },
    {
      because: 'the group of a CRD',
      parts: { objects: [makeCrd({ group: LONG_NAME, versions: [{ name: 'v1' }, { name: 'v2' }] })] },
      check: 'owned-crd-versions',
    },
    {
      because: 'a key above unknown fields',
      parts: {
        objects: [
          makeCrd({
            versions: [{ name: 'v1', schema: { openAPIV3Schema: { properties: { [LONG_NAME]: { a: 1, b: 1 } } } } }],
          }),
        ],
      },
      check: 'unknown-fields',
    },
  ])('findings do not repeat $because in full: there may be as many as findings', ({ parts, check }) => {
    const found = validateBundle(makeBundle(parts)).filter((finding) => finding.check === check);
    expect(found).not.toEqual([]);
    for (const finding of found) expect(JSON.stringify(finding).length).toBeLessThan(3000);
  });

  it('a right that a rule names twice is found once', () => {
    const rules = [{ apiGroups: ['batch', 'batch'], resources: ['cronjobs', 'jobs', 'cronjobs'], verbs: ['get'] }];
    const bundle = makeBundle({ permissions: [{ serviceAccountName: 'gadget', rules }] });
    expect(validateBundle(bundle, { suites: ['removed-apis'] })).toHaveLength(1);
  });

  it('the checks accept a CRD with a conversion but no address, if the CSV has the webhook', () => {
    const spec = { conversion: { strategy: 'Webhook' } };
    const webhook = { ...WEBHOOK, type: 'ConversionWebhook', conversionCRDs: ['gadgets.example.com'] };
    const parts = { ...changed({ webhookdefinitions: [webhook] }), objects: [makeCrd(spec)] };
    const found = validateBundle(makeBundle(parts)).filter(({ check }) => check === 'crd-structure');
    expect(found).toEqual([]);
  });

  it.each([
    { because: 'their kinds differ', objects: [named('Secret', 'a'), named('ConfigMap', 'a')] },
    { because: 'their names differ', objects: [named('Secret', 'a'), named('Secret', 'b')] },
    { because: 'no program calls the Deployment', objects: [named('Service', 'gadget-manager-service')] },
  ])('the checks find no object that another replaces: $because', ({ objects }) => {
    const found = validateBundle(makeBundle(holding(...objects))).filter(({ check }) => check === 'object-identities');
    expect(found).toEqual([]);
  });

  it('the checks are chosen by suite', () => {
    const findings = validateBundle(makeBundle({ spec: { minKubeVersion: 'x' } }), { suites: ['format'] });
    const suites = findings.map(({ check }) => CHECKS.find(({ name }) => name === check)?.suite);
    expect(new Set(suites)).toEqual(new Set(['format']));
  });
});

const LONG_NAME = 'x'.repeat(10_000);

/** Bytes that no compression makes smaller. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 24;
  });
}

function label(value: string): string {
  return `FROM scratch\nLABEL com.redhat.openshift.versions="${value}"\n`;
}
