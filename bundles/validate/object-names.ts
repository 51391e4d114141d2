import { at, type Check } from './check.ts';

/** Every object has a name: one that is generated could not be found again, nor upgraded. */
export const objectNames: Check = {
  name: 'object-names',
  suite: 'install',
  *run({ csv, crds, objects }) {
    for (const manifest of [csv.manifest, ...crds, ...objects]) {
      const { name } = manifest.object.metadata;
      if (name !== '' && name.length <= 253 && !name.includes('/')) continue;
      const message =
        name === '' ? 'the object has no name' : `"${name.slice(0, 300)}" cannot be the name of an object`;
      yield { level: 'error', ...at(manifest), path: 'metadata.name', message, advice: 'Give it a name' };
    }
  },
};
