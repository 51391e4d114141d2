import { X509Certificate } from 'node:crypto';
import { fieldsOf, isRecord } from '../../api/untyped.ts';
import { isInjected } from '../../api/names.ts';
import type { Manifest } from '../bundle.ts';
import { at, type Check } from './check.ts';
import { convertedBy } from './crd-structure.ts';

/**
 * The authority of a CRD's conversion webhook is one or several certificates in PEM: an API server does not serve a CRD
 * with anything else, and says so only once the CRD is there.
 */
export const caBundles: Check = {
  name: 'ca-bundles',
  suite: 'install',
  reason: 'InvalidCABundle',
  *run(bundle) {
    const converted = convertedBy(bundle);
    for (const manifest of bundle.crds) {
      const { name, annotations } = manifest.object.metadata;
      // Hostile: as published, the annotations may be null or a text.
      if (converted.has(name) || isInjected(fieldsOf(annotations))) continue;
      const problem = problemOf(caBundleIn(manifest));
      if (problem === undefined) continue;
      yield {
        level: 'error',
        ...at(manifest),
        path: 'spec.conversion.webhook.clientConfig.caBundle',
        message: `the caBundle of its conversion webhook ${problem}, and no API server serves such a CRD`,
        advice: 'Take the field out, and name the CRD in conversionCRDs of a webhook definition',
      };
    }
  },
};

function caBundleIn({ object }: Manifest): unknown {
  const steps = ['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'];
  return steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), object);
}

const MOST_BYTES = 1 << 20;

/** As the API server reads it: blocks that are no certificates do not count, and one at least has to. */
function problemOf(caBundle: unknown): string | undefined {
  // Of another type it is refused by the check of the fields.
  if (typeof caBundle !== 'string' || caBundle === '') return undefined;
  if (caBundle.length > MOST_BYTES) return 'is larger than any certificate';
  const text = Buffer.from(caBundle, 'base64').toString('latin1');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return 'holds no certificate';
  return blocks.every(isCertificate) ? undefined : 'holds a certificate that cannot be read';
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
