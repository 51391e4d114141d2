/**
 * The objects that make the API server itself call a webhook: a configuration that matches only a ConfigMap of our own,
 * which is sent as a dry run and never stored. Only the API server can show whether it reaches a Pod, trusts its
 * certificate and gets through the network. Pure.
 *
 * Mutating webhooks are called in order, so each question ends at one of two: the webhook in question, or the last one,
 * whose Service does not exist. If the answer names neither, the API server does not know the configuration yet.
 */
import { createHash } from 'node:crypto';
import { LABEL } from '../../../api/names.ts';
import { groupOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { POD_HASH } from '../../../apply/held-back.ts';
import type { InventoryEntry } from '../../../apply/inventory.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import type { CalledWebhook } from './called-webhooks.ts';

/** A webhook that is to be called, and the Service to use. */
export interface ProbeQuestion {
  readonly webhook: CalledWebhook;
  /** The name of the Service: the webhook's own, or that of a rehearsal. */
  readonly service: string;
}

/** How long the API server waits for an answer: long for a program, short for a person. */
const TIMEOUT_SECONDS = 5;
const MISSING_SERVICE = 'slipway-absent';
const END = 'end.probe.slipway.dev';

const PROBE = 'slipway.dev/probe';

const PROBE_NAME = 'slipway-probe-';

/** The name of the configuration for a Revision. */
function probeName(uid: string): string {
  return `${PROBE_NAME}${uid}`;
}

/** Whether it has the kind and name of a configuration for a Revision, which may be gone. */
export function isProbe({ apiVersion, kind, name }: ObjectRef): boolean {
  const isHook = kind === 'MutatingWebhookConfiguration' && groupOf(apiVersion) === 'admissionregistration.k8s.io';
  return isHook && name.startsWith(PROBE_NAME) && name.length > PROBE_NAME.length;
}

/**
 * Whether the object was made for a check: it is not of the bundle. A bundle chooses names, too. But an inventory lists an object
 * of a bundle by its uid once it is applied, and a configuration for a check never; and a Service in rehearsal has to be
 * that of another one which the inventory lists by its uid.
 */
export function isTrace(entry: InventoryEntry, inventory: readonly InventoryEntry[]): boolean {
  if (isProbe(entry)) return entry.uid === '';
  const isService = (other: ObjectRef): boolean => other.apiVersion === 'v1' && other.kind === 'Service';
  const isSource = (other: InventoryEntry): boolean =>
    isService(other) &&
    other.uid !== '' &&
    other.namespace === entry.namespace &&
    rehearsalName(other.name) === entry.name;
  return isService(entry) && inventory.some(isSource);
}

/** The configuration that makes the API server call these webhooks, unprepared. */
export function probeConfiguration(uid: string, questions: readonly ProbeQuestion[]): KubeObject {
  const [namespace = ''] = questions.map(({ webhook }) => webhook.service.namespace);
  const asked = questions.map(({ webhook, service }, index) => {
    const { port, path, caBundle } = webhook;
    const target = { namespace: webhook.service.namespace, name: service, port, ...(path !== '' && { path }) };
    const clientConfig = { service: target, ...(caBundle !== '' && { caBundle }) };
    return entry(nameOf(index), {
      clientConfig,
      namespace,
      selector: { matchLabels: { [PROBE]: labelOf(uid, index) } },
    });
  });
  const end = entry(END, {
    clientConfig: { service: { namespace, name: MISSING_SERVICE, port: 443 } },
    namespace,
    selector: { matchLabels: { [LABEL.managedBy]: 'slipway' }, matchExpressions: [{ key: PROBE, operator: 'Exists' }] },
  });
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: probeName(uid) },
    webhooks: [...asked, end],
  };
}

interface Entry {
  readonly clientConfig: object;
  readonly namespace: string;
  readonly selector: object;
}

function entry(name: string, { clientConfig, namespace, selector }: Entry): object {
  return {
    name,
    clientConfig,
    rules: [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], scope: 'Namespaced' },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    objectSelector: selector,
    failurePolicy: 'Fail',
    matchPolicy: 'Exact',
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT_SECONDS,
    admissionReviewVersions: ['v1'],
  };
}

/** The object whose creation, as a dry run, makes the API server call the webhook. */
export function questionObject(uid: string, { webhook }: ProbeQuestion, index: number): KubeObject {
  const labels = { [LABEL.managedBy]: 'slipway', [PROBE]: labelOf(uid, index) };
  const { namespace } = webhook.service;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: probeName(uid), namespace, labels } };
}

function nameOf(index: number): string {
  return `webhook-${index}.probe.slipway.dev`;
}

function labelOf(uid: string, index: number): string {
  return `${createHash('sha256').update(uid).digest('hex').slice(0, 32)}-${index}`;
}

const MAX_SERVICE_NAME = 63;

/** The name of the Service that selects the new Pods during a rehearsal, from the name of the real one. */
export function rehearsalName(service: string): string {
  const hash = createHash('sha256').update(service).digest('hex').slice(0, 8);
  const suffix = `-rehearsal-${hash}`;
  return `${service.slice(0, MAX_SERVICE_NAME - suffix.length)}${suffix}`;
}

/** A copy of the Service that selects the Pods of one hash, unprepared. */
export function rehearsalService(service: KubeObject, hash: string): KubeObject {
  const { selector, ports } = fieldsOf(service['spec']);
  const { name, namespace = '' } = service.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: rehearsalName(name), namespace },
    spec: { ports, selector: { ...fieldsOf(selector), [POD_HASH]: hash } },
  };
}

/** The outcome of a question. */
export type Answer =
  | { readonly kind: 'answered' }
  /** The API server has called no webhook. */
  | { readonly kind: 'notAsked' }
  /** It has called the webhook, and `because` is its message about the failure. */
  | { readonly kind: 'silent'; readonly because: string };

const ANSWERED: Answer = { kind: 'answered' };
const NOT_ASKED: Answer = { kind: 'notAsked' };

/**
 * Reads the API server's error for the object of a question; undefined if it accepted the object. A rejection, an error
 * or any other response of the webhook is an answer: it does not know our ConfigMap. It is silent if it cannot be
 * connected to, is not trusted, does not answer in time, or has nothing at the path. An error that names neither the
 * webhook nor the last one happened before either was called.
 */
export function readAnswer(index: number, { webhook }: ProbeQuestion, refusal: string | undefined): Answer {
  if (refusal === undefined) return NOT_ASKED;
  const name = `"${nameOf(index)}"`;
  if (refusal.includes(`"${END}"`) || PATCHED.test(refusal)) return ANSWERED;
  if (!refusal.includes(name)) return NOT_ASKED;
  const called = `failed calling webhook ${name}: `;
  const start = refusal.indexOf(called);
  if (start < 0) return ANSWERED;
  const because = refusal.slice(start + called.length).replace(/^failed to call webhook: /, '');
  if (NOTHING_THERE.test(because)) return { kind: 'silent', because: 'nothing is served at its path (404)' };
  const unheard = /^Post "[^"]*": (?<why>.*)$/s.exec(because)?.groups?.['why'];
  if (unheard === undefined || THERE.test(unheard)) return ANSWERED;
  // Another program fills in the authority to trust, but not for the configuration of a question.
  if (webhook.caBundle === '' && /x509: /.test(unheard)) return ANSWERED;
  return { kind: 'silent', because: unheard };
}

/** The webhook's patch does not fit our object. */
const PATCHED = /operation does not apply|doc is missing/;
/**
 * The server presents a certificate for the Service's own name instead of the rehearsal's, requires a client
 * certificate, or broke off.
 */
const THERE = /certificate is valid for .*, not \S*-rehearsal-[0-9a-f]{8}\.|remote error: tls: |stream error: /s;
const NOTHING_THERE = /^the server could not find the requested resource/;
