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

/** Of deploy/console, in the order of application; the settings are values of the chart. */
const CONSOLE = ['rbac', 'deployment', 'service', 'network-policy'];

/** The texts that differ between deploy/console and the chart: there they are values. */
const CONSOLE_VALUES: readonly (readonly [RegExp, string])[] = [
  [/^ {2}replicas: 1$/m, '  replicas: {{ .Values.console.replicas }}'],
  [/image: slipway\.dev\/manager:\S+$/m, 'image: {{ include "slipway.image" . }}'],
  [/^ {10}resources:\n(?: {12}.*\n)+/m, '          resources: {{- toYaml .Values.console.resources | nindent 12 }}\n'],
  [/secretName: slipway-console-sessions$/m, 'secretName: {{ .Values.console.sessionsSecret }}'],
  [/secretName: slipway-console-login$/m, 'secretName: {{ .Values.console.loginSecret }}'],
  [
    / {4}# Browsers, .*\n {4}- from:\n(?: {8}.*\n)+ {6}ports:\n(?: {8}.*\n)+(?= {4}# Metrics)/m,
    admitted('Browsers, through the namespace of the Ingress, or of the proxy.', 'console.clients', 'http'),
  ],
  [
    / {4}# Metrics, .*\n {4}- from:\n(?: {8}.*\n)+ {6}ports:\n(?: {8}.*\n)+(?= {2}egress)/m,
    admitted('Metrics, for the namespace of Prometheus.', 'clients', 'metrics'),
  ],
  [
    / {2}template:\n {4}metadata:\n/,
    '  template:\n    metadata:\n      annotations:\n        # Variables are read at the start: other settings make other Pods.\n        checksum/settings: {{ toJson .Values.console.settings | sha256sum }}\n',
  ],
  [
    / {4}spec:\n {6}serviceAccountName/,
    `    spec:\n${['image.pullSecrets', 'tolerations'].map(podField).join('')}      serviceAccountName`,
  ],
  [
    / {6}nodeSelector:\n {8}kubernetes\.io\/os: linux\n/,
    '      nodeSelector: {{- merge (dict) (.Values.nodeSelector | default dict) (dict "kubernetes.io/os" "linux") | toYaml | nindent 8 }}\n',
  ],
  [
    / {10}env:\n/,
    `          env:\n            {{- if and (ne .Values.logLevel "info") (not (hasKey .Values.console.settings "SLIPWAY_LOG_LEVEL")) }}\n            - name: SLIPWAY_LOG_LEVEL\n              value: {{ .Values.logLevel | quote }}\n            {{- end }}\n`,
  ],
];

/** The rule of a network policy for a list of peers. Without peers there is no rule: an empty `from` admits everyone. */
function admitted(comment: string, clients: string, port: string): string {
  const rule = `    # ${comment}\n    - from: {{- toYaml . | nindent 8 }}\n      ports:\n        - protocol: TCP\n          port: ${port}\n`;
  return `    {{- with .Values.${clients} }}\n${rule}    {{- end }}\n`;
}

/** A field of a Pod that both programs have, if its value is not empty. */
function podField(value: string): string {
  const field = value === 'image.pullSecrets' ? 'imagePullSecrets' : value;
  return `      {{- with .Values.${value} }}\n      ${field}: {{- toYaml . | nindent 8 }}\n      {{- end }}\n`;
}

const CONSOLE_SETTINGS = `apiVersion: v1
kind: ConfigMap
metadata:
  name: slipway-console
  namespace: {{ .Release.Namespace }}
  labels:
    app.kubernetes.io/name: slipway
    app.kubernetes.io/component: console
data:
  {{- range $name, $value := .Values.console.settings }}
  {{ $name }}: {{ ternary (int64 $value) $value (kindIs "float64" $value) | quote }}
  {{- end }}
`;

/** The console as a template, if it is wanted. Throws if a text that becomes a value is no longer there. */
export function renderChartConsole(notice: string): string {
  let text = CONSOLE.map((name) => read(`console/${name}.yaml`)).join('---\n');
  for (const [pattern, value] of CONSOLE_VALUES) {
    if (!pattern.test(text)) throw new Error(`deploy/console has no ${pattern.source}`);
    text = text.replace(pattern, () => value);
  }
  const documents = `${CONSOLE_SETTINGS}---\n${text.replaceAll(NAMESPACE, '{{ .Release.Namespace }}')}`;
  return `# ${notice}\n{{- if .Values.console.enabled }}\n${documents}{{- end }}\n`;
}

/** The resources of the CRDs for kustomize. */
export function renderCrdKustomization(names: readonly string[], notice: string): string {
  const head = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n';
  return `# ${notice}\n${head}${names.map((name) => `  - ${name}\n`).join('')}`;
}

function read(path: string): string {
  return readFileSync(resolve(DEPLOY, path), 'utf8');
}
