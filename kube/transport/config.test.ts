import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileSource, inClusterConfig, readPodNamespace } from './config.ts';
import { createManualClock } from '../testing/manual-clock.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-config-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('files that rotate', () => {
  test('a rotating file is read again after a minute, and at once on request', async () => {
    const clock = createManualClock();
    write('token', 'one\n');
    const source = fileSource(join(folder, 'token'), { clock });
    expect(await source()).toBe('one');
    write('token', 'two\n');
    clock.advance(59);
    expect(await source()).toBe('one');
    clock.advance(1);
    expect(await source()).toBe('two');
    write('token', 'three');
    expect(await source({ fresh: true })).toBe('three');
  });

  test('a file that is missing for a moment leaves the last text in use', async () => {
    write('token', 'one');
    const source = fileSource(join(folder, 'token'));
    await source();
    rmSync(join(folder, 'token'));
    expect(await source({ fresh: true })).toBe('one');
  });

  test('a file that never existed is ApiUnavailable', async () => {
    await expect(fileSource(join(folder, 'none'))()).rejects.toMatchObject({
      reason: 'ApiUnavailable',
      retry: 'backoff',
    });
  });
});

test('a Pod finds server, token, authority and namespace in its mount', async () => {
  write('token', 'secret');
  write('ca.crt', 'PEM');
  write('namespace', 'ops\n');
  const { server, token, ca } = inClusterConfig({ host: 'fd00::1', port: '443', folder });
  expect(server).toBe('https://[fd00::1]:443');
  expect([await token?.(), typeof ca === 'function' && (await ca())]).toEqual(['secret', 'PEM']);
  expect(await readPodNamespace(folder)).toBe('ops');
});
