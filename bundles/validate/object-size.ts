import { formatJson } from '../../api/json.ts';
import { at, type Check } from './check.ts';

const MAX_BYTES = 1_572_864;
const MAX_ANNOTATIONS = 262_144;

/** What etcd stores of one object is limited, and so are its annotations. CRDs are stored more densely than here. */
export const objectSize: Check = {
  name: 'object-size',
  suite: 'install',
  reason: 'BundleUnsupported',
  *run({ objects }) {
    for (const manifest of objects) {
      const bytes = Buffer.byteLength(formatJson(manifest.raw));
      if (bytes > MAX_BYTES) {
        const message = `the object has ${bytes} bytes as JSON; no API server stores more than ${MAX_BYTES}`;
        yield { level: 'error', ...at(manifest), message, advice: 'Split it' };
      }
      const annotations = Buffer.byteLength(formatJson(manifest.object.metadata.annotations ?? {}));
      if (annotations <= MAX_ANNOTATIONS) continue;
      const message = `its annotations have ${annotations} bytes; no API server takes more than ${MAX_ANNOTATIONS}`;
      yield { level: 'error', ...at(manifest), path: 'metadata.annotations', message, advice: 'Shorten them' };
    }
  },
};
