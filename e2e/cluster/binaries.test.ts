import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { provideBinaries } from './binaries.ts';

const before = process.env['SLIPWAY_CLUSTER_BIN'];

afterEach(() => {
  if (before === undefined) delete process.env['SLIPWAY_CLUSTER_BIN'];
  else process.env['SLIPWAY_CLUSTER_BIN'] = before;
});

test('programs are taken from the named folder, and nothing is built', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'binaries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const program of ['etcd', 'kubectl']) writeFileSync(join(folder, program), '');
  process.env['SLIPWAY_CLUSTER_BIN'] = folder;
  const binaries = await provideBinaries(['etcd', 'kubectl'], () => expect.unreachable());
  expect(Object.fromEntries(binaries)).toEqual({ etcd: join(folder, 'etcd'), kubectl: join(folder, 'kubectl') });
  await expect(provideBinaries(['etcd', 'crane', 'kwok'], () => {})).rejects.toThrow('lacks crane, kwok');
});
