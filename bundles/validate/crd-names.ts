import { at, duplicates, type Check } from './check.ts';

/** Each CRD is in the bundle once. */
export const crdNames: Check = {
  name: 'crd-names',
  suite: 'install',
  *run({ crds }) {
    for (const name of duplicates(crds.map(({ object }) => object.metadata.name))) {
      const files = crds.filter(({ object }) => object.metadata.name === name);
      const last = files.at(-1);
      if (last === undefined) continue;
      const message = `the CRD "${name}" occurs ${files.length} times: in ${files.map(({ file }) => file).join(', ')}`;
      yield { level: 'error', ...at(last), message, advice: 'Keep one of them' };
    }
  },
};
