/** A RegistryPolicy in a sentence. Pure. */
import type { RegistryPolicySpec } from '../../api/registry-policy.ts';

/** `Images under quay.io/team: pulled with Secret login, from 2 mirrors and no other registry; signatures required`. */
export function describePolicy(spec: RegistryPolicySpec): string {
  const pulled = [
    ...(spec.pullSecret === undefined ? [] : [`with Secret ${spec.pullSecret.name}`]),
    ...(spec.mirrors === undefined ? [] : [describeMirrors(spec.mirrors.length, spec.source)]),
    ...(spec.insecure === true ? ['without TLS'] : []),
    ...(spec.certificateAuthority === undefined ? [] : [`with ConfigMap ${spec.certificateAuthority.name}`]),
  ];
  const parts = [
    ...(pulled.length === 0 ? [] : [`pulled ${pulled.join(', ')}`]),
    ...(spec.verify === undefined ? [] : [describeVerify(spec.verify)]),
  ];
  return `Images under ${spec.prefix}: ${parts.length === 0 ? 'nothing is changed' : parts.join('; ')}`;
}

function describeMirrors(count: number, source: RegistryPolicySpec['source']): string {
  const mirrors = count === 1 ? 'a mirror' : `${count} mirrors`;
  return `from ${mirrors}, ${source === 'Never' ? 'and from nowhere else' : 'and then from their own registry'}`;
}

function describeVerify({
  enforcement,
  keys = [],
  identities = [],
  attestations = [],
}: NonNullable<RegistryPolicySpec['verify']>): string {
  const trusted = `${keys.length} keys and ${identities.length} identities are trusted`;
  const types = attestations.length === 0 ? '' : ` and ${attestations.length} attestations`;
  return enforcement === 'Enforce'
    ? `signatures${types} required (${trusted})`
    : `images without signatures${types} are reported (${trusted})`;
}
