import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../api/object.ts';
import { makeFiles } from '../../../../bundles/testing/bundle.ts';
import { parseYaml } from '../../../../bundles/yaml.ts';
import { useWorkplace } from '../../testing/slipway.ts';
import { EXPORT_CASES, type ExportCase } from './testing/cases.ts';
import { hashesOf } from './testing/hashes.ts';

const workplace = useWorkplace();
let number = 0;

/** Writes the bundle of a case, and returns the names of its folder and of one to export to. */
function place({ files }: Pick<ExportCase, 'files'>): { readonly from: string; readonly to: string } {
  number += 1;
  workplace().write(files, `bundle-${number}`);
  return { from: `bundle-${number}`, to: `export-${number}` };
}

const read = (...path: readonly string[]): string => readFileSync(join(workplace().folder, ...path), 'utf8');

async function rendered(
  from: string,
  namespace: string,
  { args = [] }: ExportCase,
  certificates: string,
): Promise<readonly KubeObject[]> {
  return workplace().json<readonly KubeObject[]>(
    'bundle',
    'render',
    from,
    '--namespace',
    namespace,
    '--certificates',
    certificates,
    ...args,
  );
}

interface Report {
  readonly files: readonly string[];
  readonly certificates: string;
  readonly notes: readonly string[];
}

describe('a kustomization', () => {
  test.each(EXPORT_CASES)('lists exactly the objects of an installation: $because', async (one) => {
    const { from, to } = place(one);
    const report = await workplace().json<Report>(
      'bundle',
      'export',
      from,
      to,
      '--as',
      'kustomize',
      '--namespace',
      'ops',
      ...(one.args ?? []),
    );
    const list = parseYaml(read(to, 'kustomization.yaml'))[0]?.value as { readonly resources: readonly string[] };
    const objects = list.resources.map((name) => parseYaml(read(to, name))[0]?.value as KubeObject);
    expect(hashesOf(objects)).toEqual(hashesOf(await rendered(from, 'ops', one, report.certificates)));
    expect([...list.resources, 'kustomization.yaml'].sort()).toEqual(readdirSync(join(workplace().folder, to)).sort());
  });
});

/** As helm evaluates the two actions that an export writes; helm itself renders charts in export.long.cluster.test.ts. */
function evaluate(template: string, namespace: string): string {
  return template.replaceAll(/\{\{ (\.Release\.Namespace|"\{\{") \}\}/g, (_whole, action: string) =>
    action === '"{{"' ? '{{' : namespace,
  );
}

describe('a chart', () => {
  test.each(EXPORT_CASES)(
    'renders to exactly the objects of an installation, in any namespace: $because',
    async (one) => {
      const { from, to } = place(one);
      const report = await workplace().json<Report>('bundle', 'export', from, to, '--as', 'chart', ...(one.args ?? []));
      for (const namespace of ['ops', '1234']) {
        const objects = report.files
          .filter((path) => path !== 'Chart.yaml')
          .map(
            (path) =>
              parseYaml(path.startsWith('crds/') ? read(to, path) : evaluate(read(to, path), namespace))[0]
                ?.value as KubeObject,
          );
        expect(hashesOf(objects)).toEqual(hashesOf(await rendered(from, namespace, one, report.certificates)));
        const kept = objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep');
        expect(kept.map(({ metadata }) => metadata.name)).toEqual(one.kept ?? []);
      }
    },
  );

  test('has the name and the version of the bundle', async () => {
    const { from, to } = place({ files: makeFiles() });
    await workplace().run('bundle', 'export', from, to, '--as', 'chart');
    expect(parseYaml(read(to, 'Chart.yaml'))[0]?.value).toEqual({
      apiVersion: 'v2',
      name: 'gadget-operator',
      version: '1.0.0',
      appVersion: '1.0.0',
      description: 'Gadgets',
    });
  });
});

describe('bundle export', () => {
  const webhooks = EXPORT_CASES.find(({ because }) => because.startsWith('a webhook'))!;
  test('uses cert-manager if something needs a certificate, and says so', async () => {
    const { from, to } = place(webhooks);
    const { stdout } = await workplace().run('bundle', 'export', from, to, '--as', 'chart');
    expect(stdout).toMatch(/^Wrote \d+ objects in \d+ files to export-\d+\n[^]*Webhooks need cert-manager/);
    expect(
      readdirSync(join(workplace().folder, to, 'templates')).filter((name) => name.startsWith('certificate')),
    ).toHaveLength(1);
  });

  test.each([
    {
      because: 'a kustomization has no namespace',
      args: ['--as', 'kustomize'],
      message: /needs the namespace of the operator/,
    },
    {
      because: 'a chart has the namespace of its release',
      args: ['--as', 'chart', '--namespace', 'ops'],
      message: /--namespace goes with --as kustomize/,
    },
    {
      because: 'the bundle does not watch so',
      args: ['--as', 'chart', '--watch-namespace', 'x'],
      message: /InstallModeUnsupported/,
    },
  ])('is refused, and writes nothing: $because', async ({ args, message }) => {
    const { from, to } = place({ files: makeFiles() });
    const { code, stderr } = await workplace().run('bundle', 'export', from, to, ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    expect(existsSync(join(workplace().folder, to))).toBe(false);
  });

  test('never mixes its files with others', async () => {
    const { from, to } = place({ files: makeFiles() });
    workplace().write(new Map([['mine.yaml', 'a: b\n']]), to);
    const { code, stderr } = await workplace().run('bundle', 'export', from, to, '--as', 'chart');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${to} is not empty`) });
  });
});
