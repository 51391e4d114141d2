import { gzipSync } from 'node:zlib';
import type { Check } from './check.ts';

const MAX_BYTES = 1 << 20;

/** OLM v0 unpacks bundles into a ConfigMap, so they must fit into one compressed. */
export const bundleSize: Check = {
  name: 'bundle-size',
  suite: 'format',
  *run(_bundle, { files }) {
    if (files === undefined) return;
    let compressed = 0;
    for (const [path, bytes] of files) if (path.startsWith('manifests/')) compressed += gzipSync(bytes).length;
    const message = `the manifests have ${compressed} bytes compressed; OLM v0 installs at most ${MAX_BYTES}`;
    const advice = 'Shorten the descriptions in CRDs, or leave out what is not needed';
    if (compressed > MAX_BYTES) yield { level: 'error', message, advice };
    else if (compressed > 0.85 * MAX_BYTES) yield { level: 'warning', message, advice };
  },
};
