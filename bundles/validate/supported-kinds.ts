import { groupKind } from '../../api/object.ts';
import { ownKinds, SUPPORTED_KINDS, supportedKind } from '../render/kinds.ts';
import { at, someOf, type Check } from './check.ts';

/** The kinds of objects in a bundle are limited, to those that its own CRDs define and some more; the operator makes the rest. */
export const supportedKinds: Check = {
  name: 'supported-kinds',
  suite: 'install',
  reason: 'BundleUnsupported',
  *run({ crds, objects }) {
    const own = ownKinds(crds);
    for (const manifest of objects) {
      const { apiVersion } = manifest.object;
      if (supportedKind(manifest.object) !== undefined) continue;
      const kind = groupKind(manifest.object);
      const defined = own.get(kind);
      const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
      if (defined === undefined) {
        const message = `a bundle may not hold objects of the kind ${kind}`;
        const advice = `Let the operator create it. Allowed are the kinds that CRDs of the bundle define, and ${KNOWN}`;
        yield { level: 'error', ...at(manifest), path: 'kind', message, advice };
      } else if (!defined.versions.has(version)) {
        const message = `its CRD in the bundle does not serve the version ${version}`;
        const advice = `Use ${someOf(defined.versions).join(' or ') || 'a version that the CRD serves'}`;
        yield { level: 'error', ...at(manifest), path: 'apiVersion', message, advice };
      }
    }
  },
};

const KNOWN = [...SUPPORTED_KINDS].map(([kind, { apiVersion }]) => groupKind({ apiVersion, kind })).join(', ');
