import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { describe, expect, test } from 'vitest';
import { useCluster } from '../lib/cluster.ts';
import { REGISTRY_USER, startCluster, type TestCluster } from './cluster.ts';

describe('the registry', () => {
  const cluster = useCluster({ only: ['registry'] });

  test('holds what crane pushes, byte for byte', async () => {
    const content = 'kind: Sample\n';
    const reference = await pushFile(cluster(), content);
    const digest = await cluster().crane(['digest', reference]);
    const manifest = await cluster().crane(['manifest', reference]);
    expect(`sha256:${createHash('sha256').update(manifest).digest('hex')}`).toBe(digest.trim());
    expect(await cluster().crane(['export', reference, '-'])).toContain(content);
  });

  test('lists tags, and deletes what it is asked to delete', async () => {
    const reference = await pushFile(cluster(), 'gone soon');
    expect(await cluster().crane(['ls', `${cluster().registry}/sample`])).toContain('1.0.0');
    const digest = (await cluster().crane(['digest', reference])).trim();
    await cluster().crane(['delete', `${cluster().registry}/sample@${digest}`]);
    await expect(cluster().crane(['manifest', reference])).rejects.toThrow('MANIFEST_UNKNOWN');
  });

  test('keeps its content when it is restarted', async () => {
    const reference = await pushFile(cluster(), 'kept');
    await cluster().restart('registry');
    expect(await cluster().crane(['manifest', reference])).toContain('layers');
  });
});

test.each([
  ['a client with the password', REGISTRY_USER.password, 200, 'it is the only user'],
  ['no client with another password', 'wrong', 401, 'a password is not optional'],
])('a registry with a password lets in %s', async (_who, password, status, _because) => {
  await using cluster = await startCluster({ only: ['registry'], registry: { auth: 'basic' } });
  const answer = await fetch(`http://${cluster.registry}/v2/`, {
    headers: { authorization: `Basic ${btoa(`${REGISTRY_USER.username}:${password}`)}` },
  });
  expect(answer.status).toBe(status);
  await pushFile(cluster, 'crane knows the password');
});

test('a registry with TLS shows a certificate of the cluster’s authority', async () => {
  await using cluster = await startCluster({ only: ['registry'], registry: { tls: true } });
  await pushFile(cluster, 'over TLS');
  expect(await statusOverTls(cluster, cluster.ca)).toBe(200);
  await expect(statusOverTls(cluster, undefined)).rejects.toThrow(/certificate/);
});

test('a registry can refuse to delete', async () => {
  await using cluster = await startCluster({ only: ['registry'], registry: { delete: false } });
  const digest = (await cluster.crane(['digest', await pushFile(cluster, 'stays')])).trim();
  await expect(cluster.crane(['delete', `${cluster.registry}/sample@${digest}`])).rejects.toThrow('UNSUPPORTED');
});

/** Pushes an image with one file; returns its reference. */
async function pushFile(cluster: TestCluster, content: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
  const reference = `${cluster.registry}/sample:1.0.0`;
  try {
    writeFileSync(join(folder, 'sample.yaml'), content);
    const layer = join(folder, 'layer.tar');
    await create({ file: layer, cwd: folder }, ['sample.yaml']);
    await cluster.crane(['append', '--oci-empty-base', '-f', layer, '-t', reference]);
    return reference;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function statusOverTls(cluster: TestCluster, ca: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, ...(ca === undefined ? {} : { ca }) };
    request(`https://${cluster.registry}/v2/`, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .once('error', reject)
      .end();
  });
}
