import { inCsv, type Check } from './check.ts';

const KNOWN = new Map(
  ['olm.operatorGroup', 'olm.operatorNamespace', 'olm.targetNamespaces', 'olm.providedAPIs', 'olm.skipRange'].map(
    (key) => [key.toLowerCase(), key],
  ),
);

/** Annotations that mean something are only understood in their right spelling. */
export const annotationNames: Check = {
  name: 'annotation-names',
  suite: 'format',
  *run(bundle) {
    for (const key of Object.keys(bundle.csv.annotations)) {
      const right = KNOWN.get(key.toLowerCase());
      if (right === undefined || right === key) continue;
      const message = `the annotation "${key}" is spelt "${right}", and is not understood otherwise`;
      const advice = `Rename it to ${right}`;
      yield { level: 'error', ...inCsv(bundle, `metadata.annotations[${key}]`), message, advice };
    }
    const published = bundle.csv.manifest.object.metadata.annotations ?? {};
    if (!Object.hasOwn(published, 'olm.properties')) return;
    const message = 'properties are given in an annotation of the CSV';
    const advice = 'Put them into metadata/properties.yaml';
    yield { level: 'warning', ...inCsv(bundle, 'metadata.annotations[olm.properties]'), message, advice };
  },
};
