import type { Manifest } from '../bundle.ts';
import { calledDeployments } from '../render/certificates.ts';
import { serviceName } from '../render/names.ts';
import { at, type Check, type FoundBy } from './check.ts';

/** All objects are put into one namespace, and of several with one identity only the last is installed. */
export const objectIdentities: Check = {
  name: 'object-identities',
  suite: 'format',
  *run(bundle) {
    for (const manifests of Map.groupBy(bundle.objects, (manifest) => at(manifest).object).values()) {
      const by = `the one of its kind and name in ${manifests.at(-1)?.file}, since all are put into one namespace`;
      for (const manifest of manifests.slice(0, -1)) yield replaced(manifest, by);
    }
    const generated = new Set(calledDeployments(bundle).map((deployment) => `Service ${serviceName(deployment)}`));
    for (const manifest of bundle.objects) {
      if (generated.has(at(manifest).object))
        yield replaced(manifest, 'the Service that it makes for webhooks and APIs');
    }
  },
};

function replaced(manifest: Manifest, by: string): FoundBy {
  const message = `an installation replaces it by ${by}`;
  return { level: 'warning', ...at(manifest), message, advice: 'Give it another name, or remove it' };
}
