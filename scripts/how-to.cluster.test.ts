/** Types what the guides about publishing tell to type, against a real registry, and compares what is printed. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useCluster } from '../e2e/lib/cluster.ts';
import { parseMarkdown, type Fence } from './markdown.ts';
import { readText } from './source-files.ts';

const root = resolve(import.meta.dirname, '..');
const cluster = useCluster({ only: ['registry'] });

interface Step {
  readonly line: number;
  readonly script: string;
  /** What the document says that is printed. */
  readonly printed?: string;
}

/** Shell blocks for which `wanted` holds, each with the text block behind it. */
function stepsOf(path: string, wanted: (script: string) => boolean = () => true): readonly Step[] {
  const { fences } = parseMarkdown(readText(path) ?? '');
  return fences.flatMap((fence, index) =>
    fence.language === 'sh' && wanted(fence.text) ? stepOf(fence, fences[index + 1]) : [],
  );
}

function stepOf({ line, text }: Fence, next: Fence | undefined): Step {
  return { line, script: text, ...(next?.language === 'text' && { printed: next.text }) };
}

const MARK = '::: end of step :::';

/** Runs all steps in one shell, as a person would; resolves to what each of them printed. */
async function type(steps: readonly Step[]): Promise<readonly string[]> {
  rmSync(resolve(root, '.cache/how-to'), { recursive: true, force: true });
  const { registry, tools } = cluster();
  const script = steps
    .map((step) => `${step.script}\necho '${MARK}'\n`)
    .join('')
    .replaceAll('registry.example', registry);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env: { ...process.env, PATH: `${tools}:${process.env['PATH']}`, REGISTRY: registry },
    maxBuffer: 1 << 26,
  });
  return stdout.replaceAll(registry, 'registry.example').split(`${MARK}\n`).slice(0, -1);
}

/** `…` stands for what changes: digests, and whatever follows in a line of its own. */
function shows(printed: string, told: string): void {
  const masked = printed.replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:…');
  if (told.endsWith('\n…\n')) expect(masked.slice(0, told.length - 2)).toBe(told.slice(0, -2));
  else expect(masked).toBe(told);
}

describe('the guides about publishing', () => {
  test.each([
    { path: 'docs/how-to/publish-a-bundle.md', count: 8 },
    { path: 'docs/how-to/publish-a-catalog.md', count: 5 },
  ])('$path does and prints what it says', async ({ path, count }) => {
    const steps = stepsOf(path);
    const outputs = await type(steps);
    expect(outputs).toHaveLength(count);
    for (const [index, { printed, line }] of steps.entries()) {
      if (printed !== undefined) shows(outputs[index] ?? `nothing for line ${line}`, printed);
    }
  });

  test('leave in the registry what other tools can read', async () => {
    const { registry, crane } = cluster();
    expect((await crane(['ls', `${registry}/team/beacon-operator`])).split('\n').sort()).toEqual([
      '',
      'v1.0.0',
      'v1.1.0',
    ]);
    expect(await crane(['export', `${registry}/team/catalog:latest`, '-'])).toContain('beacon-operator.v1.1.0');
  });
});
