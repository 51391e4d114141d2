/** The programs for which an export is made read it as it was meant: kustomize as kubectl has it, and helm. */
import { dirname, join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { parseYaml } from '../../../bundles/yaml.ts';
import { provideBinaries } from '../../cluster/binaries.ts';
import { useWorkplace } from '../../../cmd/slipway/testing/slipway.ts';
import { EXPORT_CASES } from '../../../cmd/slipway/bundle/export/testing/cases.ts';
import { hashesOf } from '../../../cmd/slipway/bundle/export/testing/hashes.ts';

const workplace = useWorkplace();
const run = promisify(execFile);

async function program(name: 'helm' | 'kubectl', ...args: readonly string[]): Promise<readonly KubeObject[]> {
  const path = (await provideBinaries([name], () => undefined)).get(name)!;
  const { stdout } = await run(path, args, {
    env: { HOME: workplace().folder, PATH: dirname(path) },
    maxBuffer: 1 << 26,
  });
  return parseYaml(stdout).map(({ value }) => value as KubeObject);
}

test.each(EXPORT_CASES)(
  'kubectl kustomize and helm template give the objects of an installation: $because',
  async ({ files, args = [] }) => {
    const folder = `bundle-${EXPORT_CASES.findIndex((one) => one.files === files)}`;
    workplace().write(files, folder);
    const [kustomized, chart] = [`${folder}-kustomized`, `${folder}-chart`];
    const { certificates } = await workplace().json<{ readonly certificates: string }>(
      'bundle',
      'export',
      folder,
      kustomized,
      '--as',
      'kustomize',
      '--namespace',
      'ops',
      ...args,
    );
    await workplace().json('bundle', 'export', folder, chart, '--as', 'chart', ...args);
    const expected = hashesOf(
      await workplace().json<readonly KubeObject[]>(
        'bundle',
        'render',
        folder,
        '--namespace',
        'ops',
        '--certificates',
        certificates,
        ...args,
      ),
    );
    expect(hashesOf(await program('kubectl', 'kustomize', join(workplace().folder, kustomized)))).toEqual(expected);
    expect(
      hashesOf(
        await program('helm', 'template', 'x', join(workplace().folder, chart), '--namespace', 'ops', '--include-crds'),
      ),
    ).toEqual(expected);
  },
);
