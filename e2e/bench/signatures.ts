/**
 * Measures one verification of a signature, as the manager does it: by a key alone, and by the certificate of an
 * identity with log and timestamp. Without the registry, and with the trusted root that is parsed each time. The
 * fastest round counts: what else the machine does is left out.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { SignaturePolicy } from '../../signatures/policy.ts';
import type { ImageSignature } from '../../signatures/signature.ts';
import { createInstance, publicPem, type SigstoreInstance } from '../../signatures/testing/instance.ts';
import { signBundle } from '../../signatures/testing/signer.ts';
import { parseTrustedRoot } from '../../signatures/trusted-root.ts';
import { verifyImage } from '../../signatures/verify.ts';
import type { Row } from './budgets.ts';

const BUDGET_MILLISECONDS = 20;
const ROUNDS = 100;
const IMAGE = { repository: 'registry.example/team/gadget', digest: `sha256:${'a'.repeat(64)}` };
const WHO = { subject: 'https://ci.example/release.yml@refs/tags/v1', issuer: 'https://issuer.example' };

export async function benchSignatures(): Promise<readonly Row[]> {
  const instance = await createInstance();
  return [await measureKey(instance), await measureIdentity(instance)];
}

async function measureKey(instance: SigstoreInstance): Promise<Row> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signature = await signBundle(IMAGE, { by: 'key', privateKey });
  const keys = [{ name: 'release', pem: publicPem(privateKey), transparencyLog: 'Ignore' }] as const;
  return measure('a verification by key', signature, () => ({ keys, identities: [], ...trustIn(instance) }));
}

async function measureIdentity(instance: SigstoreInstance): Promise<Row> {
  const certified = await instance.certify(WHO);
  const signature = await signBundle(IMAGE, { by: 'certificate with Rekor v2', certified, instance });
  const identities = [{ ...WHO, match: 'Exact' }] as const;
  return measure('a verification by identity', signature, () => ({ keys: [], identities, ...trustIn(instance) }));
}

function trustIn({ root }: SigstoreInstance): Pick<SignaturePolicy, 'root' | 'mirrored'> {
  return { root: parseTrustedRoot(root, 'the measurement'), mirrored: [] };
}

function measure(what: string, signature: ImageSignature, policy: () => SignaturePolicy): Row {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    verifyImage(IMAGE, [signature], policy());
    return performance.now() - start;
  });
  return { what, unit: 'ms', measured: Math.min(...times), budget: BUDGET_MILLISECONDS };
}
