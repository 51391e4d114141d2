/**
 * Recognizes the certificates of webhooks in the source: a bundle has none, since Slipway and OLM issue them, mount them at
 * the usual place, and put the authority into webhooks and CRDs.
 */
import { groupOf, type KubeObject } from '../../api/object.ts';
import type { CalledServices } from './called-services.ts';
import type { Ledger } from './ledger.ts';
import type { Scene } from './scene.ts';
import type { SourceObject } from './source.ts';

const CERT_MANAGER = 'cert-manager.io';
const INJECT = `${CERT_MANAGER}/inject-ca-from`;

interface CertificateSpec {
  readonly secretName?: string;
  readonly dnsNames?: readonly string[];
}

/** Names of the Secrets with certificates of webhooks. */
export function takeCertificates(scene: Scene, ledger: Ledger, called: CalledServices): ReadonlySet<string> {
  const secrets = new Set<string>();
  const injected = new Set(scene.sources.flatMap(({ object }) => object.metadata.annotations?.[INJECT] ?? []));
  const services = new Set([...called.keys()].map(({ object }) => object.metadata.name));
  for (const source of scene.sources) {
    if (groupOf(source.object.apiVersion) !== CERT_MANAGER) continue;
    if (source.object.kind === 'Certificate') takeCertificate(ledger, source, { secrets, injected, services });
    else ledger.leaveOut(source, 'no certificate of the bundle needs an issuer');
  }
  return secrets;
}

interface Uses {
  readonly secrets: Set<string>;
  /** `namespace/name` of Certificates whose authority callers need. */
  readonly injected: ReadonlySet<string>;
  /** Names of the Services that the API server calls. */
  readonly services: ReadonlySet<string>;
}

function takeCertificate(ledger: Ledger, source: SourceObject, { secrets, injected, services }: Uses): void {
  const { metadata } = source.object;
  const { secretName = '', dnsNames = [] } = (source.object['spec'] ?? {}) as CertificateSpec;
  const isCalled = dnsNames.some((name) => services.has(name.split('.')[0] ?? ''));
  if (isCalled || injected.has(`${metadata.namespace ?? ''}/${metadata.name}`)) {
    secrets.add(secretName);
    ledger.leaveOut(source, 'certificates of webhooks are issued, mounted and trusted by the installation');
    return;
  }
  ledger.leaveOut(source, `a bundle may not hold objects of the kind Certificate.${CERT_MANAGER}`);
  ledger.find('error', 'certificate', source, [
    `it is for no webhook, so the installation does not issue it; Pods that mount the Secret ${secretName} wait for it`,
    'Have the operator issue it, or have an administrator apply it beside the Subscription',
  ]);
}

/** Whether cert-manager puts an authority into the object. */
export function isInjected({ metadata }: KubeObject): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, INJECT);
}

/** The object without the annotation that makes cert-manager put an authority in place. */
export function withoutInjection<Given extends KubeObject>(object: Given): Given {
  const { annotations } = object.metadata;
  if (!isInjected(object)) return object;
  const { [INJECT]: _, ...kept } = annotations ?? {};
  const { annotations: _all, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(Object.keys(kept).length > 0 && { annotations: kept }) } };
}
