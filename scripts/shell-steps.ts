/** The shell commands of a document, to be typed by a test as a person would. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { programFile } from './test-programs.ts';
import { parseMarkdown, type Fence } from './markdown.ts';
import { readText } from './source-files.ts';

export interface Step {
  readonly script: string;
  /** The output that the document shows. */
  readonly printed?: string;
}

/** The shell blocks of a document, each with the block of text that follows. */
export function stepsOf(path: string): readonly Step[] {
  const { fences } = parseMarkdown(readText(path) ?? '');
  return fences.flatMap((fence, index) => (fence.language === 'sh' ? stepOf(fence, fences[index + 1]) : []));
}

/** Those from the first one on whose script contains the text. Throws if none does. */
export function stepsFrom(path: string, text: string): readonly Step[] {
  const steps = stepsOf(path);
  const first = steps.findIndex(({ script }) => script.includes(text));
  if (first < 0) throw new Error(`No command of ${path} contains ${text}`);
  return steps.slice(first);
}

function stepOf({ text }: Fence, next: Fence | undefined): Step {
  return { script: text, ...(next?.language === 'text' && { printed: next.text }) };
}

export interface Typing {
  /** The value of `registry.example`, if the document does not say how it is replaced. */
  readonly registry?: string;
  /** Folder with kubectl and crane. */
  readonly tools: string;
  readonly variables?: Readonly<Record<string, string>>;
}

const ROOT = resolve(import.meta.dirname, '..');
/** In which npm finds the programs that a script names, Node for one. */
const BINARIES = resolve(ROOT, 'node_modules/.bin');
const { scripts } = JSON.parse(readText('package.json') ?? '') as {
  readonly scripts: Readonly<Record<string, string>>;
};
const EXAMPLE = 'registry.example';
const MARK = '::: end of step :::';

/** Runs the steps in one shell in the root of the checkout; resolves to the output of each step. */
export async function typeSteps(
  steps: readonly Step[],
  { registry = EXAMPLE, tools, variables = {} }: Typing,
): Promise<readonly string[]> {
  const script = steps.map((step) => `${step.script}\necho '${MARK}'\n`).join('');
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-euo', 'pipefail', '-c', withoutNpm(script).replaceAll(EXAMPLE, registry)],
    {
      cwd: ROOT,
      env: { ...process.env, ...variables, PATH: `${tools}:${BINARIES}:${process.env['PATH']}` },
      maxBuffer: 1 << 26,
    },
  );
  return stdout.replaceAll(registry, EXAMPLE).split(`${MARK}\n`).slice(0, -1);
}

/**
 * The commands that `npm run` would run, ours from its bundle: npm itself takes more of the processor than most of them,
 * hundreds of times.
 */
function withoutNpm(script: string): string {
  return script.replaceAll(/\bnpm run -s ([\w:-]+) -- /g, (whole, name: string) =>
    scripts[name] === undefined ? whole : `${scripts[name].replace('cmd/slipway/main.ts', programFile('slipway'))} `,
  );
}

/** The same up to digests; a document that ends with a line `…` shows only the beginning. */
export function isShown(printed: string, reported: string): boolean {
  const masked = printed.replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:…');
  return reported.endsWith('\n…\n') ? masked.startsWith(reported.slice(0, -2)) : masked === reported;
}

/** Line by line the same up to ages and the space that aligns columns; a line that ends in `…` shows its beginning only. */
export function isShownByLine(printed: string, shown: string): boolean {
  const [actual, expected] = [linesOf(printed), linesOf(shown)];
  return (
    actual.length === expected.length &&
    expected.every((line, index) => {
      const found = actual[index] ?? '';
      return line.endsWith('…') ? found.startsWith(line.slice(0, -1)) : found === line;
    })
  );
}

function linesOf(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/ {2,}/g, '  ')
        .replaceAll(/  \d+[smhd](?:\d+[smh])?(?=  |$)/g, '  AGE')
        .trimEnd(),
    );
}
