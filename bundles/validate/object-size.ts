import { formatJson } from '../../api/json.ts';
import { isRecord } from '../../api/untyped.ts';
import type { KubeObject } from '../../api/object.ts';
import { at, type Check } from './check.ts';

const MAX_BYTES = 1_572_864;
const MAX_ANNOTATIONS = 262_144;
const MAX_DATA = 1 << 20;

/**
 * The size of an object in etcd is limited, and so is the size of its annotations. CRDs are stored more densely than
 * measured here. The annotations of the CSV are copied to the Pods of each Deployment.
 */
export const objectSize: Check = {
  name: 'object-size',
  suite: 'install',
  reason: 'BundleUnsupported',
  *run({ objects, csv }) {
    const onPods = annotationBytes(csv.annotations);
    if (onPods > MAX_ANNOTATIONS) {
      const message = `the annotations that each Pod of the operator gets have ${onPods} bytes; no API server takes more than ${MAX_ANNOTATIONS}`;
      const advice = 'Shorten them, or the properties in metadata/properties.yaml, which are one of them';
      yield { level: 'error', ...at(csv.manifest), path: 'metadata.annotations', message, advice };
    }
    for (const manifest of objects) {
      const bytes = Buffer.byteLength(formatJson(manifest.raw));
      if (bytes > MAX_BYTES) {
        const message = `the object has ${bytes} bytes as JSON; no API server stores more than ${MAX_BYTES}`;
        yield { level: 'error', ...at(manifest), message, advice: 'Split it' };
      }
      const data = dataOf(manifest.object);
      if (data > MAX_DATA) {
        const message = `its data have ${data} bytes; no API server takes more than ${MAX_DATA}`;
        yield { level: 'error', ...at(manifest), path: 'data', message, advice: 'Split it' };
      }
      const annotations = annotationBytes(manifest.object.metadata.annotations ?? {});
      if (annotations <= MAX_ANNOTATIONS) continue;
      const message = `its annotations have ${annotations} bytes; no API server takes more than ${MAX_ANNOTATIONS}`;
      yield { level: 'error', ...at(manifest), path: 'metadata.annotations', message, advice: 'Shorten them' };
    }
  },
};

/** Bytes of all keys and values, as the API server counts them. */
function annotationBytes(annotations: Readonly<Record<string, unknown>>): number {
  return sum([...Object.keys(annotations), ...Object.values(annotations)], 'utf8');
}

/** Bytes of all values of a Secret or ConfigMap, as the API server counts them. */
function dataOf({ apiVersion, kind, ...object }: KubeObject): number {
  if (apiVersion !== 'v1' || (kind !== 'Secret' && kind !== 'ConfigMap')) return 0;
  const written = isRecord(object['stringData']) ? object['stringData'] : {};
  const encoded = kind === 'Secret' ? object['data'] : object['binaryData'];
  const kept = Object.entries(isRecord(encoded) ? encoded : {}).filter(([key]) => !Object.hasOwn(written, key));
  const plain = kind === 'Secret' ? written : object['data'];
  return (
    sum(
      kept.map(([, value]) => value),
      'base64',
    ) + sum(Object.values(isRecord(plain) ? plain : {}), 'utf8')
  );
}

function sum(values: readonly unknown[], encoding: BufferEncoding): number {
  return values.reduce<number>((total, value) => {
    return total + (typeof value === 'string' ? Buffer.byteLength(value, encoding) : 0);
  }, 0);
}
