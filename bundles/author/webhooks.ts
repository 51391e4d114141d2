/** Turns webhook configurations, and the conversion of CRDs, into the webhook definitions of the CSV. */
import { CRD } from '../../api/crd-kind.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import type { CsvWebhook } from '../bundle.ts';
import { followCall, type Call } from './calls.ts';
import type { Ledger } from './ledger.ts';
import type { Scene } from './scene.ts';
import type { SourceObject } from './source.ts';

/** Field of the CSV. */
export const WEBHOOKS = 'spec.webhookdefinitions';
const ADMISSION = 'admissionregistration.k8s.io';

/** The definitions, and how the API server calls the operator. */
export interface Webhooks {
  readonly definitions: readonly CsvWebhook[];
  /** Names of CRDs that a definition converts. */
  readonly converted: ReadonlySet<string>;
  /** Ports by which the API server calls each Service. */
  readonly services: ReadonlyMap<SourceObject, ReadonlySet<number>>;
  /** Names of the Deployments that are called. */
  readonly called: ReadonlySet<string>;
}

export function takeWebhooks(scene: Scene, ledger: Ledger): Webhooks {
  const step: WebhookStep = { scene, ledger, definitions: [], services: new Map(), called: new Set() };
  for (const [kind, type] of CONFIGURATIONS)
    for (const source of scene.byKind.get(`${kind}.${ADMISSION}`) ?? []) takeConfiguration(step, source, type);
  const converted = new Set<string>();
  for (const source of scene.byKind.get(groupKind(CRD)) ?? [])
    if (takeConversion(step, source)) converted.add(source.object.metadata.name);
  return { definitions: step.definitions, converted, services: step.services, called: step.called };
}

const CONFIGURATIONS = [
  ['ValidatingWebhookConfiguration', 'ValidatingAdmissionWebhook'],
  ['MutatingWebhookConfiguration', 'MutatingAdmissionWebhook'],
] as const;

interface WebhookStep {
  readonly scene: Scene;
  readonly ledger: Ledger;
  readonly definitions: CsvWebhook[];
  readonly services: Map<SourceObject, Set<number>>;
  readonly called: Set<string>;
}

/** A webhook as the API server has it. */
interface PublishedWebhook extends Omit<CsvWebhook, 'generateName' | 'type'> {
  readonly name: string;
  readonly clientConfig?: unknown;
  readonly namespaceSelector?: { readonly matchLabels?: object; readonly matchExpressions?: readonly unknown[] };
  readonly matchConditions?: readonly unknown[];
}

function takeConfiguration(step: WebhookStep, source: SourceObject, type: string): void {
  const webhooks = (source.object as KubeObject & { readonly webhooks?: readonly PublishedWebhook[] }).webhooks ?? [];
  for (const webhook of webhooks) takeWebhook(step, source, { webhook, type });
  if (!step.ledger.isPlaced(source)) step.ledger.leaveOut(source, 'the CSV has none of its webhooks');
}

function takeWebhook(
  step: WebhookStep,
  source: SourceObject,
  { webhook, type }: { readonly webhook: PublishedWebhook; readonly type: string },
): void {
  const { ledger, definitions } = step;
  const call = followCall(step.scene, webhook.clientConfig);
  if ('problem' in call) {
    ledger.note(source, `without its webhook ${webhook.name}`);
    ledger.find('error', 'missing-service', source, [`${webhook.name}: ${call.problem}`, call.advice]);
    return;
  }
  for (const part of lostParts(step.scene, webhook)) {
    ledger.note(source, `without ${part} of ${webhook.name}`);
    ledger.find('error', 'lost-part', source, [
      `${webhook.name} has a ${part}, for which a bundle has no place: without it the webhook is called more often`,
      'Use an objectSelector or rules that need none, or have the operator create the configuration itself',
    ]);
  }
  const generateName = freeName(definitions, { name: webhook.name, type, configuration: source.object.metadata.name });
  definitions.push({
    generateName,
    type,
    ...wayOf(step, call),
    ...behaviourOf(webhook),
    ...pathOf(webhook.clientConfig),
  });
  ledger.inCsv(source, WEBHOOKS);
}

/** Definitions of one type have names of their own. */
function freeName(
  definitions: readonly CsvWebhook[],
  { name, type, configuration }: { readonly name: string; readonly type: string; readonly configuration: string },
): string {
  const isTaken = definitions.some((definition) => definition.type === type && definition.generateName === name);
  return isTaken ? `${configuration}.${name}` : name;
}

function wayOf(
  { services, called }: WebhookStep,
  { deployment, service, containerPort, targetPort }: Extract<Call, { readonly deployment: string }>,
): Pick<CsvWebhook, 'deploymentName' | 'containerPort' | 'targetPort'> {
  const ports = services.get(service) ?? new Set();
  services.set(service, ports.add(containerPort));
  called.add(deployment);
  return { deploymentName: deployment, containerPort, targetPort };
}

const COPIED = [
  'rules',
  'failurePolicy',
  'matchPolicy',
  'objectSelector',
  'timeoutSeconds',
  'reinvocationPolicy',
] as const;

function behaviourOf(webhook: PublishedWebhook): Pick<CsvWebhook, 'sideEffects' | 'admissionReviewVersions'> {
  const copied = COPIED.flatMap((field) => (webhook[field] === undefined ? [] : [[field, webhook[field]] as const]));
  const { sideEffects, admissionReviewVersions } = webhook;
  return { ...Object.fromEntries(copied), sideEffects, admissionReviewVersions };
}

function pathOf(clientConfig: unknown): Pick<CsvWebhook, 'webhookPath'> {
  const path = (clientConfig as { readonly service?: { readonly path?: string } } | undefined)?.service?.path;
  return path === undefined ? {} : { webhookPath: path };
}

/** An installation limits a webhook to the watched namespaces, and that selector is no loss. */
function lostParts({ namespace, modes }: Scene, webhook: PublishedWebhook): readonly string[] {
  const { namespaceSelector, matchConditions = [] } = webhook;
  const { matchLabels = {}, matchExpressions = [] } = namespaceSelector ?? {};
  const own = JSON.stringify([{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [namespace] }]);
  const isOwn = JSON.stringify(matchExpressions) === own && !modes.includes('AllNamespaces');
  const selects = Object.keys(matchLabels).length > 0 || (matchExpressions.length > 0 && !isOwn);
  return [...(selects ? ['namespaceSelector'] : []), ...(matchConditions.length > 0 ? ['matchConditions'] : [])];
}

interface WithConversion {
  readonly spec?: {
    readonly conversion?: {
      readonly strategy?: string;
      readonly webhook?: { readonly clientConfig?: unknown; readonly conversionReviewVersions?: readonly string[] };
    };
  };
}

/** Whether a definition converts the CRD. */
function takeConversion(step: WebhookStep, source: SourceObject): boolean {
  const { conversion } = (source.object as KubeObject & WithConversion).spec ?? {};
  if (conversion?.strategy !== 'Webhook') return false;
  const { webhook } = conversion;
  const call = followCall(step.scene, webhook?.clientConfig);
  if ('problem' in call) {
    step.ledger.find('error', 'missing-service', source, [`its conversion webhook: ${call.problem}`, call.advice]);
    return false;
  }
  const { name } = source.object.metadata;
  step.definitions.push({
    generateName: `c${name}`,
    type: 'ConversionWebhook',
    ...wayOf(step, call),
    sideEffects: 'None',
    admissionReviewVersions: webhook?.conversionReviewVersions ?? ['v1'],
    ...pathOf(webhook?.clientConfig),
    conversionCRDs: [name],
  });
  return true;
}
