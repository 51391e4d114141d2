/** Remembers what objects were at the beginning, and notes each change of them that harms an operator. Pure. */
import { describeRef, refOf, type Kind, type KubeObject } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { identityOf } from '../../../apply/identity.ts';
import { lastWriterOf } from '../leave-olm/last-writer.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';

/** The kinds that operators consist of. */
export const WATCHED: readonly Kind[] = [
  ...['Pod', 'ServiceAccount', 'Service', 'Secret', 'ConfigMap'].map((kind) => ({ apiVersion: 'v1', kind })),
  ...['Deployment', 'ReplicaSet'].map((kind) => ({ apiVersion: 'apps/v1', kind })),
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => ({ apiVersion: RBAC, kind })),
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map((kind) => ({
    apiVersion: ADMISSION,
    kind,
  })),
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
];

/** Of these nothing may be deleted; rights and webhook configurations change their names. */
const KEPT: ReadonlySet<string> = new Set([
  'Pod',
  'ServiceAccount',
  'Service',
  'Secret',
  'ConfigMap',
  'Deployment',
  'ReplicaSet',
  'CustomResourceDefinition',
  'APIService',
  'PriorityClass',
]);

const GENERATE_NAME = 'olm.webhook-description-generate-name';

/** The label by which OLM v0 marks the objects of operators. */
export function isManagedByOlm({ metadata }: KubeObject): boolean {
  return metadata.labels?.['olm.managed'] === 'true';
}

export class Witness {
  readonly #namespaces: ReadonlySet<string>;
  readonly #isOfOperator: (object: KubeObject) => boolean;
  readonly #before = new Map<string, KubeObject>();
  /** By the names in bundles: the configurations there are of each. */
  readonly #webhooks = new Map<string, Set<string>>();
  readonly #harm = new Set<string>();
  events = 0;

  constructor(namespaces: readonly string[], isOfOperator: (object: KubeObject) => boolean) {
    this.#namespaces = new Set(namespaces);
    this.#isOfOperator = isOfOperator;
  }

  /** The object as it is at the beginning. */
  begin(object: KubeObject): void {
    if (!this.#isOfOperator(object) && !isOfPods(object)) return;
    this.#before.set(identityOf(refOf(object)), object);
    if (!isOfWebhooks(object)) return;
    const name = webhookName(object, object.metadata.labels?.[GENERATE_NAME] ?? object.metadata.name);
    this.#webhooks.set(name, (this.#webhooks.get(name) ?? new Set()).add(object.metadata.name));
  }

  see(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    const before = this.#before.get(identityOf(refOf(object)));
    const isOfOperators = this.#namespaces.has(object.metadata.namespace ?? '');
    if (before !== undefined || isOfOperators) this.events += 1;
    if (type === 'ADDED' && isOfPods(object) && isOfOperators) this.#note(object, 'was created');
    this.#seeWebhooks(type, object);
    if (before === undefined) return;
    if (type === 'DELETED' && KEPT.has(object.kind)) this.#note(object, 'was deleted');
    if (type !== 'DELETED') for (const text of changesOf(before, object)) this.#note(object, text);
  }

  harm(): readonly string[] {
    return [...this.#harm];
  }

  #note(object: KubeObject, text: string): void {
    this.#harm.add(`${describeRef(refOf(object))} ${text}${writerOf(object)}`);
  }

  /** At each moment there is one that OLM has made, or Slipway. */
  #seeWebhooks(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    if (!isOfWebhooks(object)) return;
    const { name } = object.metadata;
    const before = this.#before.get(identityOf(refOf(object)));
    const known = webhookName(object, before?.metadata.labels?.[GENERATE_NAME] ?? name);
    const live = this.#webhooks.get(known);
    if (live === undefined) return;
    if (type === 'DELETED') live.delete(name);
    else live.add(name);
    if (live.size === 0) this.#note(object, 'was deleted, and no other one has its webhooks');
    if (type !== 'DELETED' && listOf(object['webhooks']).some((webhook) => bundleIn(webhook['clientConfig']) === ''))
      this.#note(object, 'has a webhook without caBundle');
  }
}

/** Who wrote it last, for the person who looks for the cause. */
function writerOf(object: KubeObject): string {
  const writer = lastWriterOf(object);
  return writer === '' ? '' : ` (last written by ${writer})`;
}

function isOfPods({ kind }: KubeObject): boolean {
  return kind === 'Pod' || kind === 'ReplicaSet';
}

function isOfWebhooks({ kind }: KubeObject): boolean {
  return kind.endsWith('WebhookConfiguration');
}

function webhookName({ kind }: KubeObject, name: string): string {
  return `${kind} ${name.replace(/-$/, '')}`;
}

function bundleIn(clientConfig: unknown): string {
  return textOf(fieldsOf(clientConfig)['caBundle']);
}

/** The changes of an object that stays which harm. */
function changesOf(before: KubeObject, object: KubeObject): readonly string[] {
  const [was, is] = [fieldsOf(before['spec']), fieldsOf(object['spec'])];
  switch (object.kind) {
    case 'Deployment':
      return JSON.stringify(was['template']) === JSON.stringify(is['template']) ? [] : ['has another Pod template'];
    case 'CustomResourceDefinition':
      return conversionOf(was) === conversionOf(is) ? [] : [`converts otherwise: ${conversionOf(is)}`];
    case 'APIService':
      return [
        ...(bundleIn(is) === bundleIn(was) ? [] : ['has another caBundle']),
        ...(isAvailable(object) ? [] : ['is not available']),
      ];
    case 'ServiceAccount':
      return before.metadata.uid === object.metadata.uid ? [] : ['is another one'];
    default:
      return [];
  }
}

function conversionOf(spec: Readonly<Record<string, unknown>>): string {
  const { strategy = 'None', webhook } = fieldsOf(spec['conversion']);
  const clientConfig = fieldsOf(fieldsOf(webhook)['clientConfig']);
  const { name, path } = fieldsOf(clientConfig['service']);
  return [strategy, name, path, bundleIn(clientConfig)].map(textOf).join(' ');
}

function isAvailable({ status }: KubeObject): boolean {
  const conditions = listOf(fieldsOf(status)['conditions']);
  return conditions.some((one) => one['type'] === 'Available' && one['status'] === 'True');
}
