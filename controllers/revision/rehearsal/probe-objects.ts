/**
 * What it takes to have the API server itself call a webhook: a configuration that concerns nothing but a ConfigMap of
 * our own, which is sent as a dry run and never stored. Only the API server knows whether it reaches a Pod, whom it
 * trusts and what its network lets through. Pure.
 *
 * Webhooks that mutate are called in order, so each question ends at one of two: the webhook that is asked about, or the
 * last one, which nobody serves. Where neither is heard of, the API server does not know the configuration yet.
 */
import { createHash } from 'node:crypto';
import { LABEL } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { POD_HASH } from '../../../apply/held-back.ts';
import { fieldsOf } from '../../../apply/untyped.ts';
import type { CalledWebhook } from './called-webhooks.ts';

/** A webhook that is to be called, and by which Service. */
export interface Question {
  readonly webhook: CalledWebhook;
  /** Name of the Service to go by: that of the webhook, or that of a rehearsal. */
  readonly service: string;
}

/** How long the API server waits for an answer; long for a program, short for a person. */
const TIMEOUT_SECONDS = 5;
const NOBODY = 'slipway-nobody';
const END = 'end.probe.slipway.dev';

const PROBE = 'slipway.dev/probe';

/** Name of the configuration for a Revision. */
export function probeName(uid: string): string {
  return `slipway-probe-${uid}`;
}

/** The configuration that has the API server ask these questions, unprepared. */
export function probeConfiguration(uid: string, questions: readonly Question[]): KubeObject {
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
    clientConfig: { service: { namespace, name: NOBODY, port: 443 } },
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

/** The object whose creation, as a dry run, asks a question. */
export function questionObject(uid: string, { webhook }: Question, index: number): KubeObject {
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

/** Name of the Service that leads to the new Pods of another one while they are tried out. */
export function rehearsalName(service: string): string {
  const hash = createHash('sha256').update(service).digest('hex').slice(0, 8);
  const suffix = `-rehearsal-${hash}`;
  return `${service.slice(0, MAX_SERVICE_NAME - suffix.length)}${suffix}`;
}

/** A Service like this one that leads to the Pods of one hash, unprepared. */
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

/** What became of a question. */
export type Answer =
  | { readonly kind: 'answered' }
  /** The API server has not called anybody. */
  | { readonly kind: 'notAsked' }
  /** It has, and this is what it says of it. */
  | { readonly kind: 'silent'; readonly because: string };

const ANSWERED: Answer = { kind: 'answered' };
const NOT_ASKED: Answer = { kind: 'notAsked' };

/**
 * Reads what the API server said to the object of a question; undefined where it took it. To refuse, to err or to answer
 * something else is an answer: our ConfigMap is no object that the webhook knows. Silent is who cannot be connected to, is
 * not trusted, does not answer in time, or has nothing at the path. What names neither the webhook nor the one behind it
 * came before either was called.
 */
export function readAnswer(index: number, { webhook }: Question, refusal: string | undefined): Answer {
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
  // Whom to trust is filled in by somebody else, and not for a question.
  if (webhook.caBundle === '' && /x509: /.test(unheard)) return ANSWERED;
  return { kind: 'silent', because: unheard };
}

/** What a webhook changed does not fit our object. */
const PATCHED = /operation does not apply|doc is missing/;
/** It presents a certificate for the Service's own name and not for that of the rehearsal, wants one, or broke off. */
const THERE = /certificate is valid for .*, not \S*-rehearsal-[0-9a-f]{8}\.|remote error: tls: |stream error: /s;
const NOTHING_THERE = /^the server could not find the requested resource/;
