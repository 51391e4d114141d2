/** The loop of the guide for pipelines ends with the outcome of the version that it waits for, and of no other one. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stepsOf } from './shell-steps.ts';

const guide = stepsOf('docs/how-to/upgrade-from-a-pipeline.md').find(({ script }) =>
  script.includes('wait_until_installed'),
);
const folder = mkdtempSync(join(tmpdir(), 'slipway-pipeline-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Answers from variables; the awaited version is installed in the third round, if ever. */
const KUBECTL = `#!/bin/sh
case "$*" in
  *jsonpath=*installed*) echo >>${folder}/rounds; [ "$(wc -l <${folder}/rounds)" -ge "$INSTALLED_IN_ROUND" ] ;;
  *condition=Stalled*) [ "$STALLED" = yes ] ;;
  *condition=UpgradeFailed*) [ "$FAILED" = yes ] ;;
  *quarantined*) printf '%s' "$QUARANTINED" ;;
  *available*) printf '%s' "$AVAILABLE" ;;
  *conditions*) printf 'Ready: works\\n%s\\n' "$TOLD" ;;
esac
`;
writeFileSync(join(folder, 'kubectl'), KUBECTL);
chmodSync(join(folder, 'kubectl'), 0o755);

interface Told {
  readonly quarantined?: readonly string[];
  /** Whether nothing more happens, whatever version that is about. */
  readonly stalled?: boolean;
  /** Whether an upgrade has failed or cannot be begun, beside an installed version that works. */
  readonly failed?: boolean;
  readonly available?: string;
  readonly told?: string;
}

function waitFor(
  version: string,
  { quarantined = [], stalled = false, failed = false, available = version, told = '' }: Told,
) {
  writeFileSync(join(folder, 'rounds'), '');
  const env = {
    PATH: `${folder}:${process.env['PATH']}`,
    INSTALLED_IN_ROUND: told === '' ? '3' : '20',
    STALLED: stalled ? 'yes' : 'no',
    FAILED: failed ? 'yes' : 'no',
    QUARANTINED: quarantined.map((one) => `${one}\n`).join(''),
    AVAILABLE: available,
    TOLD: told,
  };
  const script = guide!.script.replaceAll('wait_until_installed 2.0.0', `wait_until_installed '${version}'`);
  const { status, stdout } = spawnSync('sh', ['-eu', '-c', script], { encoding: 'utf8', env, timeout: 10_000 });
  return { status, stdout };
}

test.each<Told & { version: string; because: string }>([
  { version: '2.0.0', because: 'nothing failed' },
  { version: '2.0.0', quarantined: ['2.0.0-rc.1'], because: 'a candidate of it failed' },
  { version: '2.0.0', quarantined: ['2.0.0+build.1'], because: 'another build of it failed' },
  { version: '2.0.0', quarantined: ['12.0.0', '2.0.0.1', '2x0.0'], because: 'its text is a part of other versions' },
  { version: '2.0.0', failed: true, available: '1.9.0', because: 'the version before is refused' },
  { version: '2.0.0', stalled: true, available: '1.9.0', because: 'the version before is held after it failed' },
])('waiting for $version succeeds although it takes time: $because', ({ version, ...told }) => {
  expect(waitFor(version, told)).toEqual({ status: 0, stdout: '' });
});

test.each<Told & { version: string; told: string; because: string }>([
  { version: '2.0.0', quarantined: ['1.0.0', '2.0.0'], told: 'UpgradeFailed: no quota', because: 'it was rolled back' },
  { version: '2.0.0', stalled: true, told: 'UpgradeFailed: no quota', because: 'it failed and is held' },
  { version: '2.0.0', stalled: true, told: 'Stalled: not signed', because: 'its bundle is refused' },
  {
    version: '2.0.0',
    failed: true,
    told: 'UpgradeFailed: not signed',
    because: 'its bundle is refused, and the version before works',
  },
  { version: '2.0.0-rc.1', quarantined: ['2.0.0-rc.1'], told: 'UpgradeFailed: no quota', because: 'it is a candidate' },
])('waiting for $version ends with 1 and the reason: $because', ({ version, ...told }) => {
  expect(waitFor(version, told)).toEqual({ status: 1, stdout: `${told.told}\n` });
});
