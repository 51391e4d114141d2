/**
 * Makes the files for an installation in one step from their parts: deploy/install.yaml for `kubectl apply -f`, and the
 * parts of the Helm chart that have no values. Text in, text out, so that comments stay.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const DEPLOY = resolve(import.meta.dirname, '../deploy');
const NAMESPACE = 'slipway-system';

/** Of deploy/base, in the order of application; the namespace and the rights come before them. */
const BASE = ['deployment', 'service', 'disruption-budget', 'network-policy'];

/**
 * CRDs, the policy and the manager, in one file. `crds` are the texts of the generated files. The policy comes before the
 * manager: no Subscription is acted on before it is asked who writes one.
 */
export function renderInstall(crds: readonly string[], notice: string): string {
  const base = BASE.map((name) => read(`base/${name}.yaml`));
  return `# ${notice}\n${[...crds, read('policies/accounts.yaml'), read('rbac/rbac.yaml'), ...base].join('---\n')}`;
}

/** The rights as a template: in the namespace of the release, which Helm makes. */
export function renderChartRights(notice: string): string {
  const documents = read('rbac/rbac.yaml').split('---\n');
  const kept = documents.filter((text) => !/^kind: Namespace$/m.test(text));
  return `# ${notice}\n${kept.join('---\n').replaceAll(NAMESPACE, '{{ .Release.Namespace }}')}`;
}

/** The policy about accounts as a template, unless it is not wanted. */
export function renderChartPolicies(notice: string): string {
  const policies = read('policies/accounts.yaml').replaceAll(NAMESPACE, '{{ .Release.Namespace }}');
  return `# ${notice}\n{{- if .Values.requireAccounts }}\n${policies}{{- end }}\n`;
}

/** The resources of the CRDs for kustomize. */
export function renderCrdKustomization(names: readonly string[], notice: string): string {
  const head = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n';
  return `# ${notice}\n${head}${names.map((name) => `  - ${name}\n`).join('')}`;
}

function read(path: string): string {
  return readFileSync(resolve(DEPLOY, path), 'utf8');
}
