/**
 * The verifier against the cases of Sigstore's own conformance suite, offline: bundles of all versions, logs, timestamp
 * authorities and roots. The cases are about artifacts, not images, so they enter below the claims about images.
 */
import { createPublicKey } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PUBLIC_ROOT } from './public-root.ts';
import { verifyArtifact } from './testing/artifact.ts';

const CASES = resolve(import.meta.dirname, '../../shared/conformance/sigstore/bundle-verify');
const names = existsSync(CASES)
  ? readdirSync(CASES, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  : [];

/** Who signed the cases that name no one else. */
const BEACON = {
  subject:
    'https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/.github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main',
  issuer: 'https://token.actions.githubusercontent.com',
};

describe.skipIf(names.length === 0)('cases of sigstore-conformance (skipped without ../shared)', () => {
  test('all of them are there, and most must be refused', () => {
    expect([names.length, names.filter(isRefused).length]).toEqual([70, 49]);
  });

  test.each(names)('%s', (name) => {
    const read = (file: string): string | undefined => {
      const path = join(CASES, name, file);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    };
    const artifact = readFileSync(
      existsSync(join(CASES, name, 'artifact')) ? join(CASES, name, 'artifact') : join(CASES, 'a.txt'),
    );
    const key = read('key.pub');
    const verify = (): unknown =>
      verifyArtifact(artifact, Buffer.from(read('bundle.sigstore.json') ?? ''), {
        root: read('trusted_root.json') ?? PUBLIC_ROOT,
        identity: {
          issuer: (read('issuer') ?? BEACON.issuer).trim(),
          subject: (read('identity') ?? BEACON.subject).trim(),
        },
        ...(isKey(key) && { key }),
      });
    if (isRefused(name)) expect(verify).toThrow();
    else expect(verify()).toBeDefined();
  });
});

/** One case has a file that holds no key. */
function isKey(pem: string | undefined): pem is string {
  try {
    return pem !== undefined && createPublicKey(pem).type === 'public';
  } catch {
    return false;
  }
}

function isRefused(name: string): boolean {
  return name.endsWith('_fail');
}
