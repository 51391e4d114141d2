/** Names of generated objects, as OLM v1 makes them, so that a cluster can be moved over. */
import { createHash } from 'node:crypto';
import { goJson } from '../go-json.ts';

const MAX_LENGTH = 63;

/** The most characters that the common name of a certificate has. @see https://www.rfc-editor.org/rfc/rfc5280#appendix-A.1 */
export const MAX_COMMON_NAME = 64;

/**
 * A name with a hash of its value: `base-<sha224 in base 36>`, with the base cut so that the whole has about 63
 * characters. The keys of the value must be in the order of Go's struct.
 */
export function uniqueName(base: string, value: unknown): string {
  const digest = createHash('sha224')
    .update(`${goJson(value)}\n`)
    .digest('hex');
  return withSuffix(base, BigInt(`0x${digest}`).toString(36));
}

/** `my.operator` → `my-operator-service`. */
export function serviceName(deployment: string): string {
  return withSuffix(deployment.replaceAll('.', '-'), 'service');
}

/** Names by which the Service of a Deployment is called, the short one first. */
export function serviceHosts(deployment: string, namespace: string): readonly string[] {
  const name = `${serviceName(deployment)}.${namespace}`;
  return [name, `${name}.svc`, `${name}.svc.cluster.local`];
}

/** Name of the Secret, and of cert-manager's Certificate, of a Deployment that is called over TLS. */
export function certificateName(deployment: string): string {
  return withSuffix(serviceName(deployment), 'cert');
}

export function issuerName(deployment: string): string {
  return withSuffix(certificateName(deployment), 'selfsigned-issuer');
}

/** An exact sum of 63 is not cut, so that the name has 64 characters: so do the names that exist. */
function withSuffix(base: string, suffix: string): string {
  const fits = base.length + suffix.length <= MAX_LENGTH;
  return `${fits ? base : base.slice(0, MAX_LENGTH - suffix.length - 1)}-${suffix}`;
}
