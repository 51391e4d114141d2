/**
 * Adds the certificates of webhooks to rendered objects: the Secrets that the Pods mount, and the authorities that the
 * API server is to trust. Called by each roll-out; an existing certificate is kept until plan.ts decides otherwise. The
 * Secrets are applied like all other objects, so that inventory, repair and removal cover them, and an upgrade finds
 * those of the Revision before it. Writes nothing itself.
 */
import type { Cluster } from '../../../api/cluster.ts';
import { judgeOwnership } from '../../../apply/collision.ts';
import { identityOf } from '../../../apply/identity.ts';
import type { InventoryEntry } from '../../../apply/inventory.ts';
import { prepareObjects, type PrepareOptions } from '../../../apply/prepare.ts';
import { groupKind, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { injectCaBundles } from '../../../bundles/render/render.ts';
import { rehearsalName } from '../rehearsal/probe-objects.ts';
import { issueCertificate, type Issue } from './issue.ts';
import {
  DROP_AFTER_MS,
  LIFETIME_MS,
  OVERLAP_MS,
  planCertificate,
  rotationTime,
  type CertificateStep,
  type Circumstances,
} from './plan.ts';
import { requiredIn, type RequiredCertificate } from '../../../bundles/render/required-certificates.ts';
import {
  fingerprintOf,
  inspect,
  NEVER_PLANNED,
  readSecret,
  validAuthorities,
  writeSecret,
  type CertificateState,
} from './secret.ts';

export interface CertificateOptions extends Circumstances {
  /** As the manager. */
  readonly cluster: Pick<Cluster, 'get'>;
  /** The same as for all objects of the Revision: the Secrets get its labels. */
  readonly prepare: PrepareOptions;
  /** The objects that the Subscription has in the cluster: its Secrets are known by their uids. */
  readonly inventory: readonly InventoryEntry[];
  readonly signal: AbortSignal;
  /** Makes certificates; by default those of issue.ts. */
  readonly issue?: Issue | undefined;
  /** Called for each step of a rotation. */
  readonly onStep?: (step: CertificateStep, secret: ObjectRef) => void;
}

/** The prepared objects with their certificates, prepared too. Throws the errors of the client that reads a Secret. */
export async function addCertificates(
  objects: readonly KubeObject[],
  options: CertificateOptions,
): Promise<readonly KubeObject[]> {
  const required = requiredIn(objects);
  if (required.length === 0) return objects;
  const states = new Map(
    await Promise.all(required.map(async (one) => [one.secretName, await stateFor(one, options)] as const)),
  );
  const caBundles = new Map([...states].map(([name, { authorities }]) => [name, authorities.join('')]));
  const namespace = options.prepare.installNamespace;
  const secrets = [...states].map(([name, state]) => writeSecret({ namespace, name }, state));
  return [
    ...injectCaBundles(objects, required, caBundles).map((object) => markPods(object, required, states)),
    ...prepareObjects(secrets, options.prepare),
  ];
}

/** The content that the Secret should have now. */
async function stateFor(required: RequiredCertificate, options: CertificateOptions): Promise<CertificateState> {
  const namespace = options.prepare.installNamespace;
  const ref = secretOf(required, namespace);
  const known = await readOurs(ref, options);
  const dnsNames = namesOf(required, namespace);
  const facts = known === undefined ? undefined : inspect(known, required.dnsNames);
  const planned = planCertificate(facts, options);
  // The authority of a certificate of OLM is trusted until a certificate of ours serves.
  const step = planned === 'drop' && known?.fromOlm === true ? 'keep' : planned;
  if (step !== 'keep') options.onStep?.(step, ref);
  return take(step, known, { ...options, dnsNames, needed: required.dnsNames });
}

/** The Secret that the Pods of a Deployment mount. */
export function secretOf({ secretName: name }: RequiredCertificate, namespace: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', namespace, name };
}

/**
 * The names in a certificate. During a rehearsal the API server calls the server by the Service of the rehearsal, later by its own: both are names.
 */
export function namesOf({ dnsNames, serviceName }: RequiredCertificate, namespace: string): readonly string[] {
  return [...dnsNames, `${rehearsalName(serviceName)}.${namespace}.svc`];
}

/**
 * Another owner's Secret of that name is a collision, which the apply reports; its content is not used. That of a Secret
 * which a user has handed over is: callers trust its authority, and Pods serve with its pair.
 */
async function readOurs(
  ref: ObjectRef,
  { cluster, prepare, inventory, signal }: CertificateOptions,
): Promise<CertificateState | undefined> {
  const secret = await cluster.get(ref, signal);
  const known = inventory.find((entry) => identityOf(entry) === identityOf(ref));
  if (secret === undefined) return undefined;
  const { kind } = judgeOwnership(secret, prepare.owner, known?.uid);
  return kind === 'ours' || kind === 'adopted' ? readSecret(secret) : undefined;
}

interface StepOptions extends Pick<CertificateOptions, 'issue'> {
  readonly now: Date;
  /** The names in a certificate that is issued now. */
  readonly dnsNames: readonly string[];
  /** Names without which a certificate cannot be used. */
  readonly needed: readonly string[];
}

async function take(
  step: CertificateStep,
  known: CertificateState | undefined,
  { now, dnsNames, needed, issue = issueCertificate }: StepOptions,
): Promise<CertificateState> {
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  if (known === undefined || step === 'issue' || step === 'prepare') {
    const { pair, authority } = await issue({ dnsNames, now, lifetimeMs: LIFETIME_MS });
    const authorities = [...(known === undefined ? [] : validAuthorities(known, now)), authority];
    if (known !== undefined && step === 'prepare') {
      const { serving, fromOlm } = known;
      return { serving, next: pair, authorities, due: after(OVERLAP_MS), ...(fromOlm && { fromOlm }) };
    }
    const state = { serving: pair, authorities };
    return { ...state, due: authorities.length > 1 ? after(DROP_AFTER_MS) : rotationOf(state, needed) };
  }
  const { serving, authorities, next = serving } = known;
  if (step === 'switch') return { serving: next, authorities, due: after(DROP_AFTER_MS) };
  if (step === 'drop') {
    const state = { serving, authorities: authorities.slice(-1) };
    return { ...state, due: rotationOf(state, needed) };
  }
  return known.due > NEVER_PLANNED ? known : { ...known, due: rotationOf(known, needed) };
}

function rotationOf(state: Omit<CertificateState, 'due'>, dnsNames: readonly string[]): Date {
  const facts = inspect({ ...state, due: new Date(0) }, dnsNames);
  if (facts === undefined) throw new Error('A certificate that was just issued cannot be used');
  return rotationTime(facts);
}

/**
 * The annotation of a Pod's template that names the certificate: it restarts servers that read their certificate only
 * at start.
 */
const CERTIFICATE_ANNOTATION = 'slipway.dev/certificate';

interface MarkedDeploymentSpec {
  readonly template: { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } };
}

function markPods(
  object: KubeObject,
  required: readonly RequiredCertificate[],
  states: ReadonlyMap<string, CertificateState>,
): KubeObject {
  if (groupKind(object) !== 'Deployment.apps') return object;
  const one = required.find(({ deployment }) => deployment === object.metadata.name);
  const state = one === undefined ? undefined : states.get(one.secretName);
  if (state === undefined || state.fromOlm === true) return object;
  const spec = object['spec'] as MarkedDeploymentSpec;
  const { metadata } = spec.template;
  const annotations = { ...metadata?.annotations, [CERTIFICATE_ANNOTATION]: fingerprintOf(state) };
  return { ...object, spec: { ...spec, template: { ...spec.template, metadata: { ...metadata, annotations } } } };
}
