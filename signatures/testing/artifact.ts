/** Verifies an artifact instead of an image, as the cases of Sigstore's conformance suite ask. */
import type { TrustedIdentity } from '../policy.ts';
import { parseTrustedRoot } from '../trusted-root.ts';
import { parseBundle, verifyKeyed, verifyKeyless, type Signed } from '../verifier.ts';

export interface ArtifactTrust {
  /** `trusted_root.json`. */
  readonly root: string;
  readonly identity: Pick<TrustedIdentity, 'issuer' | 'subject'>;
  /** PEM; absent for keyless signatures. */
  readonly key?: string;
}

/** Throws Flaw, or ReasonedError for the trusted root. */
export function verifyArtifact(artifact: Buffer, json: Buffer, { root, identity, key }: ArtifactTrust): Signed {
  const bundle = parseBundle(json);
  const trust = {
    keys: key === undefined ? [] : [{ name: 'key', pem: key, transparencyLog: 'Require' as const }],
    identities: [{ ...identity, match: 'Exact' as const }],
    root: parseTrustedRoot(root, 'the case'),
  };
  return bundle.verificationMaterial.content.$case === 'publicKey'
    ? verifyKeyed(() => bundle, trust, artifact)
    : verifyKeyless(bundle, trust, artifact);
}
