import { groupOf } from '../../api/object.ts';
import type { Manifest } from '../bundle.ts';
import { SUPPORTED_KINDS } from '../render/kinds.ts';
import { at, isDnsLabel, isSubdomain, SUBDOMAIN_ADVICE, type Check } from './check.ts';

/** Every object has a name that its kind may have: one that is generated could not be found again, nor upgraded. */
export const objectNames: Check = {
  name: 'object-names',
  suite: 'install',
  *run({ csv, crds, objects }) {
    for (const manifest of [csv.manifest, ...crds, ...objects]) {
      const { name } = manifest.object.metadata;
      const { isRight, advice } = ruleFor(manifest);
      if (name !== '' && isRight(name)) continue;
      const message =
        name === '' ? 'the object has no name' : `"${name.slice(0, 300)}" cannot be the name of the object`;
      yield { level: 'error', ...at(manifest), path: 'metadata.name', message, advice };
    }
  },
};

interface NameRule {
  readonly isRight: (name: string) => boolean;
  readonly advice: string;
}

/** @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
function ruleFor({ object }: Manifest): NameRule {
  const group = groupOf(object.apiVersion || (SUPPORTED_KINDS.get(object.kind)?.apiVersion ?? ''));
  if (NEVER_APPLIED.has(object.kind) || group === 'rbac.authorization.k8s.io') return SEGMENT;
  return object.kind === 'Service' && group === '' ? LABEL : SUBDOMAIN;
}

/** Of the CSV itself nothing is applied, but names of roles are made of its name. */
const NEVER_APPLIED = new Set(['ClusterServiceVersion']);

const SEGMENT: NameRule = {
  isRight: (name) => name.length <= 253 && name !== '.' && name !== '..' && !/[/%]/.test(name),
  advice: 'Use at most 253 characters without "/" and "%"',
};

const LABEL: NameRule = { isRight: isDnsLabel, advice: 'Use at most 63 lower-case letters, digits and "-"' };

const SUBDOMAIN: NameRule = { isRight: isSubdomain, advice: SUBDOMAIN_ADVICE };
