/** The names that images get in a mirror, and the RegistryPolicies that lead there. Pure. */
import { API_VERSION } from '../../../api/names.ts';
import { REGISTRY_POLICY } from '../../../api/registry-policy.ts';
import { parseReference, type Reference } from '../../../oci/reference.ts';
import type { MirroredImage } from './list.ts';

/** `quay.io/team/app` → `mirror.example/operators/quay.io/team/app`; a colon cannot be part of a path. */
function mirrorPrefix(prefix: string, host: string): string {
  return `${prefix}/${host.replaceAll(/[^a-z0-9.]+/g, '-').replaceAll(/^-|-$/g, '')}`;
}

/** The repository of an image in the mirror. */
export function mirroredName(prefix: string, name: string): Reference {
  const { registry, repository } = parseReference(name);
  return parseReference(`${mirrorPrefix(prefix, registry)}/${repository}`);
}

/** One policy for each registry that images are named by: they are pulled from the mirror, and from nowhere else. */
export function policiesFor(prefix: string, images: readonly MirroredImage[]): string {
  const hosts = [...new Set(images.map(({ name }) => parseReference(name).registry))].toSorted();
  const policies = hosts.map((host) => ({
    apiVersion: API_VERSION,
    kind: REGISTRY_POLICY.kind,
    metadata: { name: `mirror-${host.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}` },
    spec: { prefix: host, mirrors: [{ prefix: mirrorPrefix(prefix, host) }], source: 'Never' },
  }));
  return policies.map((policy) => `---\n${JSON.stringify(policy, undefined, 2)}\n`).join('');
}
