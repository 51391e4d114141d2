/**
 * The 59 cases of the reference validators: we find each of their findings, and accept every bundle that they accept.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../../e2e/lib/shared.ts';
import { parseBundle, type Bundle } from '../parse.ts';
import { readBundleFolder } from '../testing/folder.ts';
import { validateBundle, type CheckOptions, type BundleFinding } from './validate.ts';

interface Case {
  readonly test: string;
  readonly description?: string;
  readonly name?: string;
  readonly directory?: string;
  readonly path?: string;
  readonly filePath?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly custom?: boolean;
  readonly hasError?: boolean;
  readonly error?: boolean;
  readonly warning?: boolean;
  readonly wantError?: boolean;
  readonly wantWarning?: boolean;
  readonly errString?: string;
  readonly detail?: string;
  readonly errStrings?: readonly string[];
  readonly warnStrings?: readonly string[];
}

/** The checks that stand for one validator of the reference. */
const CHECKS_OF: Readonly<Record<string, readonly string[]>> = {
  TestValidateBundle: ['owned-crd-versions', 'service-accounts', 'bundle-size'],
  Test_EnsureGetBundleSizeValue: ['bundle-size'],
  Test_communityValidator: ['max-openshift-version', 'openshift-label'],
  Test_ValidateGoodPractices: ['resource-requests', 'channel-names'],
  TestValidateBundleOperatorHub: [
    'provider',
    'maintainers',
    'links',
    'capabilities',
    'categories',
    'icon',
    'csv-version',
  ],
  TestCustomCategories: ['categories'],
  TestValidateBundleOperatorHubV2: ['provider', 'maintainers', 'links', 'icon', 'csv-version'],
  Test_GetRemovedAPIsOn1_22From: ['removed-apis'],
  Test_GetRemovedAPIsOn1_25From: ['removed-apis'],
  Test_GetRemovedAPIsOn1_26From: ['removed-apis'],
  TestValidateDeprecatedAPIS: ['removed-apis'],
  TestValidateObject: ['disruption-budgets', 'priority-classes', 'rbac-rules'],
  TestValidateCapabilities: ['capabilities'],
  TestValidateCategories: ['categories'],
  TestValidateCRD: ['crd-structure'],
};

/** The subject of each message of the reference: the check that finds it and a fact that its finding must name. */
const MEANINGS: readonly { readonly theirs: RegExp; readonly check: string; readonly names: RegExp }[] = [
  {
    theirs: /owned CRD .*EtcdCluster.* not found/,
    check: 'owned-crd-versions',
    names: /does not hold .*v1beta2 EtcdCluster/,
  },
  {
    theirs: /CRD .*EtcdCluster.* not defined in CSV/,
    check: 'owned-crd-versions',
    names: /does not own .*v1beta2 EtcdCluster/,
  },
  { theirs: /duplicate CRD .*Kind=Test/, check: 'owned-crd-versions', names: /v1alpha1 Test twice/ },
  { theirs: /invalid service account .*etcd-operator/, check: 'service-accounts', names: /etcd-operator/ },
  { theirs: /not specified olm.maxOpenShiftVersion/, check: 'max-openshift-version', names: /no property/ },
  { theirs: /with the key `olm.maxOpenShiftVersion`/, check: 'max-openshift-version', names: /no property/ },
  { theirs: /value 4.9 which is >= of 4.9/, check: 'max-openshift-version', names: /is 4.9/ },
  { theirs: /4.8.1 will be truncated/, check: 'max-openshift-version', names: /only 4.8/ },
  { theirs: /path of its index image/, check: 'openshift-label', names: /Dockerfile/ },
  { theirs: /container: \(kube-rbac-proxy\)/, check: 'resource-requests', names: /kube-rbac-proxy/ },
  { theirs: /container: \(manager\)/, check: 'resource-requests', names: /manager/ },
  { theirs: /channel\(s\) \["alpha"\]/, check: 'channel-names', names: /"alpha"/ },
  { theirs: /Provider.Name not specified/, check: 'provider', names: /no name/ },
  { theirs: /Maintainers elements/, check: 'maintainers', names: /no name or no email/ },
  { theirs: /email invalidemail/, check: 'maintainers', names: /invalidemail/ },
  { theirs: /Links elements/, check: 'links', names: /no name or no url/ },
  { theirs: /Links url https\/\/coreos/, check: 'links', names: /https\/\/coreos/ },
  { theirs: /Installs and stuff/, check: 'capabilities', names: /Installs and stuff/ },
  { theirs: /Icon should only have one/, check: 'icon', names: /2 icons/ },
  { theirs: /"Magic"/, check: 'categories', names: /Magic/ },
  { theirs: /Version must be set/, check: 'csv-version', names: /no version/ },
  {
    theirs: /removed in v1.22/,
    check: 'removed-apis',
    names: /CustomResourceDefinition is not served since Kubernetes 1.22/,
  },
  {
    theirs: /removed in v1.25.* HorizontalPodAutoscaler: .*,PodDisruptionBudget: /,
    check: 'removed-apis',
    names: /(PodDisruptionBudget|HorizontalPodAutoscaler) is not served since Kubernetes 1.25/,
  },
  {
    theirs: /removed in v1.26/,
    check: 'removed-apis',
    names: /HorizontalPodAutoscaler is not served since Kubernetes 1.26/,
  },
  { theirs: /k8s key option : invalid/, check: 'removed-apis', names: /"invalid" is not a version/ },
  { theirs: /unable to use csv.Spec.MinKubeVersion/, check: 'removed-apis', names: /because "invalid"/ },
  { theirs: /minAvailable .* 100%/, check: 'disruption-budgets', names: /100%/ },
  { theirs: /maxUnavailable .* 0 or 0%/, check: 'disruption-budgets', names: /0%/ },
  { theirs: /globalDefault/, check: 'priority-classes', names: /globalDefault/ },
  { theirs: /create\/update poddisruptionbudgets/, check: 'rbac-rules', names: /PodDisruptionBudgets/ },
  { theirs: /securitycontextconstraints/, check: 'rbac-rules', names: /SecurityContextConstraints/ },
  { theirs: /unique version names/, check: 'crd-structure', names: /several times/ },
  { theirs: /exactly one version marked as storage/, check: 'crd-structure', names: /0 versions/ },
  { theirs: /conversionReviewVersions/, check: 'crd-structure', names: /versions of reviews/ },
];

/** Objects that use removed APIs, in the three directories that the reference lists them for. */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  'Test_GetRemovedAPIsOn1_22From ./testdata/valid_bundle_v1': [],
  'Test_GetRemovedAPIsOn1_22From ./testdata/valid_bundle_v1beta1': [
    'CustomResourceDefinition.apiextensions.k8s.io etcdbackups.etcd.database.coreos.com',
    'CustomResourceDefinition.apiextensions.k8s.io etcdclusters.etcd.database.coreos.com',
    'CustomResourceDefinition.apiextensions.k8s.io etcdrestores.etcd.database.coreos.com',
  ],
  // The reference reads only the first document of a file, and so misses the second webhook configuration.
  'Test_GetRemovedAPIsOn1_22From ./testdata/bundle_with_deprecated_resources': [
    'ClusterRole.rbac.authorization.k8s.io memcached-operator-metrics-reader',
    'MutatingWebhookConfiguration.admissionregistration.k8s.io mutating-webhook-configuration',
    'PriorityClass.scheduling.k8s.io super-priority',
    'Role.rbac.authorization.k8s.io memcached-role',
    'ValidatingWebhookConfiguration.admissionregistration.k8s.io validating-webhook-configuration',
  ],
  'Test_GetRemovedAPIsOn1_25From ./testdata/valid_bundle_v1': [],
  'Test_GetRemovedAPIsOn1_25From ./testdata/removed_api_1_25': [
    'HorizontalPodAutoscaler.autoscaling memcached-operator-hpa',
    'PodDisruptionBudget.policy memcached-operator-policy-manager',
  ],
  'Test_GetRemovedAPIsOn1_25From ./testdata/deprecated_api_1_25': [
    'ClusterServiceVersion.operators.coreos.com memcached-operator.v0.0.1: cronjobs',
    'ClusterServiceVersion.operators.coreos.com memcached-operator.v0.0.1: endpointslices',
    'ClusterServiceVersion.operators.coreos.com memcached-operator.v0.0.1: events',
    'ClusterServiceVersion.operators.coreos.com memcached-operator.v0.0.1: horizontalpodautoscalers',
    'ClusterServiceVersion.operators.coreos.com memcached-operator.v0.0.1: poddisruptionbudgets',
    'ClusterServiceVersion.operators.coreos.com memcached-operator.v0.0.1: podsecuritypolicies',
    'ClusterServiceVersion.operators.coreos.com memcached-operator.v0.0.1: runtimeclasses',
    'HorizontalPodAutoscaler.autoscaling memcached-operator-hpa',
    'PodDisruptionBudget.policy memcached-operator-policy-manager',
  ],
  'Test_GetRemovedAPIsOn1_26From ./testdata/valid_bundle_v1': [],
  'Test_GetRemovedAPIsOn1_26From ./testdata/removed_api_1_26': [
    'HorizontalPodAutoscaler.autoscaling memcached-operator-hpa',
  ],
};

const root = sharedPath('conformance', 'bundle-validation');
const cases = hasShared
  ? (JSON.parse(readFileSync(join(root, 'bundle-validation-cases.json'), 'utf8')) as { cases: readonly Case[] }).cases
  : [];

describe.skipIf(!hasShared)('the reference validators', () => {
  it('have 59 cases', () => {
    expect(cases).toHaveLength(59);
    process.stdout.write(
      `bundle-validation: ${cases.length} cases, ${FURTHER.size} of them with a finding of ours alone\n`,
    );
  });

  it.each(cases.map((row, index) => ({ row, index, test: row.test, title: row.description ?? row.name ?? '' })))(
    '$index $test: $title',
    ({ row, index }) => {
      const findings = run(row);
      const removed = REMOVED[`${row.test} ${String(row.args?.['bundleDir'])}`];
      if (row.test.startsWith('Test_GetRemoved')) {
        expect(removedObjects(row, findings)).toEqual(removed);
        return;
      }
      const further = FURTHER.get(index) ?? [];
      const errors = findings.filter(({ level }) => level === 'error');
      expectMeanings(errors, errorTexts(row), further);
      const wantsError = row.hasError ?? row.error ?? row.wantError ?? false;
      expect(errors.length > 0).toBe(wantsError || further.length > 0);
      if (!JUDGES_WARNINGS.has(row.test)) return;
      const warnings = findings.filter(({ level }) => level === 'warning');
      expectMeanings(warnings, warningTexts(row), further);
      expect(warnings.length > 0).toBe((row.warning ?? row.wantWarning ?? false) || further.length > 0);
    },
  );
});

/** Findings that only we have, by the number of the case; docs/deviations.md has the reasons. */
const FURTHER: ReadonlyMap<number, readonly RegExp[]> = new Map([
  [56, [/^the version v1beta2 has no schema$/]],
  [58, [/^the version v1beta2 has no schema$/]],
]);

/** The validators whose tests assert warnings; the tests of the others assert errors only. */
const JUDGES_WARNINGS = new Set([
  'Test_EnsureGetBundleSizeValue',
  'Test_communityValidator',
  'Test_ValidateGoodPractices',
  'TestValidateDeprecatedAPIS',
  'TestValidateObject',
]);

function errorTexts({ errString = '', errStrings = [], error = false, detail = '' }: Case): readonly string[] {
  return [...errStrings, ...(errString === '' ? [] : [errString]), ...(error ? [detail] : [])];
}

function warningTexts({ warnStrings = [], warning = false, detail = '' }: Case): readonly string[] {
  return [...warnStrings, ...(warning ? [detail] : [])];
}

/**
 * Each text of the reference matches a finding of that level, and each finding matches a text, or is a known addition.
 */
function expectMeanings(
  findings: readonly BundleFinding[],
  texts: readonly string[],
  further: readonly RegExp[],
): void {
  const meant = texts.flatMap((text) => {
    const meaning = MEANINGS.find(({ theirs }) => theirs.test(text));
    expect(meaning, text).toBeDefined();
    const found = findings.filter(({ check, message }) => check === meaning?.check && meaning.names.test(message));
    expect(found, text).not.toEqual([]);
    return found;
  });
  const told = new Set(meant);
  const surprising = findings.filter((one) => !told.has(one) && !further.some((known) => known.test(one.message)));
  expect(surprising).toEqual([]);
}

function run(row: Case): readonly BundleFinding[] {
  const { args = {} } = row;
  const source = row.directory ?? row.path ?? row.filePath ?? String(args['bundleDir'] ?? args['directory']);
  const bundle = read(source, args);
  const found = validateBundle(bundle.parsed, { ...optionsOf(row), files: bundle.files });
  return found.filter(({ check }) => CHECKS_OF[row.test]?.includes(check));
}

function optionsOf({ args = {}, custom }: Case): CheckOptions {
  const version = args['k8sVersion'];
  const dockerfile = args['imageIndexPath'];
  return {
    ...(typeof version === 'string' && version !== '' && { kubernetesVersion: version }),
    ...(typeof dockerfile === 'string' && { dockerfile: readFileSync(local(dockerfile), 'utf8') }),
    ...(custom === true && { categories: customCategories() }),
  };
}

function customCategories(): readonly string[] {
  const file = readFileSync(local('./testdata/categories.json'), 'utf8');
  return (JSON.parse(file) as { readonly categories: readonly string[] }).categories;
}

function local(path: string): string {
  return join(root, 'testdata', 'pkg', 'validation', 'internal', path);
}

/** A folder of manifests, a whole bundle, or one manifest; what a bundle needs besides is added. */
function read(
  source: string,
  args: Readonly<Record<string, unknown>>,
): { readonly parsed: Bundle; readonly files: ReadonlyMap<string, Uint8Array> } {
  const path = local(source);
  const files = new Map(filesOf(path));
  if (!files.has('metadata/annotations.yaml')) files.set('metadata/annotations.yaml', bytes(''));
  if (!statSync(path).isDirectory()) files.set('manifests/csv.yaml', bytes(EMPTY_CSV));
  return { parsed: withChanges(parseBundle(files), args), files };
}

const EMPTY_CSV = JSON.stringify({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'empty.v1.0.0' },
  spec: { install: { strategy: 'deployment' } },
});

function filesOf(path: string): Iterable<readonly [string, Uint8Array]> {
  if (!statSync(path).isDirectory()) return [['manifests/object.yaml', readFileSync(path)]];
  if (readdirSync(path).includes('manifests')) return readBundleFolder(path);
  return readdirSync(path).map((name) => [`manifests/${name}`, readFileSync(join(path, name))] as const);
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Some cases set fields of the CSV that they read. */
function withChanges(bundle: Bundle, args: Readonly<Record<string, unknown>>): Bundle {
  const { csv } = bundle;
  const spec = 'minKubeVersion' in args ? { ...csv.spec, minKubeVersion: String(args['minKubeVersion']) } : csv.spec;
  const annotations = args['annotations'] as Readonly<Record<string, { readonly args: readonly string[] }>> | undefined;
  const text = annotations?.['olm.properties']?.args[0];
  const properties = text === undefined ? bundle.properties : (JSON.parse(text) as Bundle['properties']);
  return { ...bundle, properties, csv: { ...csv, spec } };
}

function removedObjects({ test }: Case, findings: readonly BundleFinding[]): readonly string[] {
  const minor = /1_(\d+)From/.exec(test)?.[1] ?? '';
  return findings
    .filter(({ message }) => message.includes(`1.${minor}`))
    .map(({ object = '', message }) => {
      const resource = /rights to (\w+)/.exec(message)?.[1];
      return resource === undefined ? object : `${object}: ${resource}`;
    })
    .sort();
}
