/** A RegistryPolicy in a sentence. Pure. */
import type { RegistryPolicySpec } from '../../api/registry-policy.ts';

/** `Images under quay.io/team: pulled with Secret login from 2 mirrors only; signatures by 1 key required`. */
export function describePolicy(spec: RegistryPolicySpec): string {
  const way = [
    ...(spec.pullSecret === undefined ? [] : [`with Secret ${spec.pullSecret.name}`]),
    ...(spec.mirrors === undefined ? [] : [describeMirrors(spec.mirrors.length, spec.source)]),
  ].join(' ');
  const pulled = [
    ...(way === '' ? [] : [way]),
    ...(spec.insecure === true ? ['without TLS'] : []),
    ...(spec.certificateAuthority === undefined
      ? []
      : [`with certificate authorities of ConfigMap ${spec.certificateAuthority.name}`]),
  ];
  const parts = [
    ...(pulled.length === 0 ? [] : [`pulled ${pulled.join(', ')}`]),
    ...(spec.verify === undefined ? [] : [describeVerify(spec.verify)]),
  ];
  return `Images under ${spec.prefix}: ${parts.length === 0 ? 'nothing is changed' : parts.join('; ')}`;
}

function describeMirrors(count: number, source: RegistryPolicySpec['source']): string {
  const mirrors = countOf(count, 'mirror', 'mirrors');
  return source === 'Never' ? `from ${mirrors} only` : `from ${mirrors} before their own registry`;
}

function describeVerify({
  enforcement,
  keys = [],
  identities = [],
  attestations = [],
}: NonNullable<RegistryPolicySpec['verify']>): string {
  const trusted = [
    ...(keys.length === 0 ? [] : [countOf(keys.length, 'key', 'keys')]),
    ...(identities.length === 0 ? [] : [countOf(identities.length, 'identity', 'identities')]),
  ].join(' or ');
  const signatures = trusted === '' ? 'signatures' : `signatures by ${trusted}`;
  const demanded =
    attestations.length === 0
      ? signatures
      : `${signatures} and ${countOf(attestations.length, 'attestation', 'attestations')}`;
  return enforcement === 'Enforce' ? `${demanded} required` : `images without ${demanded} are reported`;
}

function countOf(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}
