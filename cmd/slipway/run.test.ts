import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { SUITES } from '../../bundles/validate/validate.ts';
import { buildProgram } from './program.ts';
import { LISTS } from './catalog/list-rows.ts';
import { describeConnection } from './run.ts';
import { useWorkplace } from './testing/slipway.ts';

const workplace = useWorkplace();

describe('the arguments', () => {
  test.each([
    { because: 'a command that is not', args: ['bundle', 'rendre'] },
    { because: 'an option that is not', args: ['bundle', 'inspect', 'x', '--colour'] },
    { because: 'a required option', args: ['bundle', 'render', 'x'] },
    { because: 'an argument that is missing', args: ['catalog', 'push', 'x'] },
    { because: 'one argument too many', args: ['catalog', 'validate', 'x', 'y'] },
    { because: 'a format that is not', args: ['catalog', 'validate', 'x', '-o', 'xml'] },
    { because: 'a choice that is not', args: ['bundle', 'validate', 'x', '--suite', 'all'] },
    { because: 'terminal codes', args: ['bundle', '\u001b[2Jrender'] },
  ])('are refused with exit code 1, on stderr alone: $because', async ({ args }) => {
    const { code, stdout, stderr } = await workplace().run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: /);
    expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  });

  test.each([[['--help']], [['bundle', 'render', '--help']], [['help', 'catalog']]])(
    'of help print it on stdout: %j',
    async (args) => {
      const { code, stdout, stderr } = await workplace().run(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: slipway/);
    },
  );

  test('without arguments, the help is printed to stderr, since no command was given', async () => {
    const { code, stdout, stderr } = await workplace().run();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Usage: slipway/);
  });
});

describe('help names the program as the user has started it', () => {
  const programName = 'kubectl slipway';

  test.each([
    { args: ['--help'], usage: 'Usage: kubectl slipway [options] [command]' },
    { args: ['get', '--help'], usage: 'Usage: kubectl slipway get [options]' },
    { args: ['bundle', 'init', '--help'], usage: 'Usage: kubectl slipway bundle init [options]' },
  ])('$usage', async ({ args, usage }) => {
    const { code, stdout } = await workplace().runWith({ programName }, ...args);
    expect({ code, usage: stdout.slice(0, usage.length) }).toEqual({ code: 0, usage });
    const [, examples = ''] = stdout.split('\nExamples:\n');
    const commands = examples.match(/(?:^ {2}|\| )\S+ \S+/gm) ?? [];
    expect(args.length === 1 || commands.length > 1).toBe(true);
    expect(commands.filter((text) => !/kubectl slipway|kustomize build/.test(text))).toEqual([]);
  });

  test.each([
    { because: 'kubectl finds a plugin by this name', name: 'kubectl-slipway', usage: 'kubectl slipway' },
    { because: 'any other name is that of the program', name: 'slipway', usage: 'slipway' },
    { because: 'a renamed program is the same program', name: 'slipway-1.0', usage: 'slipway' },
  ])('$name is $usage: $because', ({ name, usage }) => {
    const program = join(workplace().folder, name);
    symlinkSync(join(import.meta.dirname, 'main.ts'), program);
    const { stdout } = spawnSync(process.execPath, [program, 'get', '--help'], { encoding: 'utf8' });
    expect(stdout.split('\n')[0]).toBe(`Usage: ${usage} get [options] [kind] [name...]`);
  });
});

describe('every command', () => {
  const commands = leavesOf(buildProgram(async () => {}, { print: () => {}, complain: () => {} }));

  test('prints JSON on request, and text for people otherwise', () => {
    expect(commands.length).toBeGreaterThan(9);
    for (const command of commands.filter((one) => !PRINTS_SCRIPTS.has(one.name()))) {
      const output = command.options.find(({ long }) => long === '--output');
      expect(output?.argChoices, command.name()).toContain('json');
      expect(['text', 'yaml', 'table'], command.name()).toContain(output?.defaultValue);
    }
  });

  test('has a description, and so has each argument and option', () => {
    for (const command of commands) {
      const described = [command.description(), ...command.registeredArguments.map(({ description }) => description)];
      described.push(...command.options.map(({ description }) => description));
      expect(
        described.filter((text) => text === ''),
        command.name(),
      ).toEqual([]);
    }
  });

  test('has the choices that the code behind it has', () => {
    const choices = (name: string, option: string): readonly string[] | undefined =>
      commands.find((command) => command.name() === name)?.options.find(({ long }) => long === option)?.argChoices;
    expect(choices('validate', '--suite')).toEqual(SUITES);
    expect(commands.find((command) => command.name() === 'list')?.registeredArguments[1]?.argChoices).toEqual(LISTS);
  });
});

test('the version is that of the package', async () => {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  expect(await workplace().run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('a run', () => {
  test.each([
    { name: 'SIGINT', code: 130, stderr: 'slipway: interrupted\n' },
    { name: 'SIGTERM', code: 143, stderr: 'slipway: terminated\n' },
  ])('that gets $name ends with $code', async ({ name, code, stderr }) => {
    const options = { signal: AbortSignal.abort(new Error(name)) };
    const ended = await workplace().runWith(options, 'bundle', 'inspect', 'localhost:1/team/gadget:v1');
    expect(ended).toEqual({ code, stdout: '', stderr });
  });

  test('whose reader is gone ends with success and without a complaint', async () => {
    const options = { signal: AbortSignal.abort(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })) };
    const ended = await workplace().runWith(options, 'bundle', 'inspect', 'localhost:1/team/gadget:v1');
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('that cannot write names the full disk, and the remedy', async () => {
    const folder = workplace().folder;
    const program = `exec ${process.execPath} ${join(import.meta.dirname, 'main.ts')} --help > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', program], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'slipway: ENOSPC: no space left on device, write\n  The disk is full: free space, or write to another file system\n',
    });
  });

  test('prints the failure, its reason, and the remedy', async () => {
    const { code, stdout, stderr } = await workplace().run('bundle', 'inspect', './nothing-here', '-o', 'json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: InputInvalid: there is no folder "\.\/nothing-here"\n {2}Name a folder/);
  });

  test.each([
    {
      because: 'no API server is there',
      reason: 'ApiUnavailable',
      lines: '  the connection to 127.0.0.1:6443 is refused (ECONNREFUSED)\n',
    },
    { because: 'the message names the address itself', reason: 'RegistryUnavailable', lines: '' },
  ] as const)('names the address that was tried, once: $because', async ({ reason, lines }) => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED', address: '127.0.0.1', port: 6443 });
    const cause = new Error('no answer', { cause: refused });
    expect(await describeConnection(new ReasonedError({ reason, retry: 'backoff', message: 'x', cause }))).toBe(lines);
  });

  test.each([80, 90])('prints help that follows the width of the terminal: %d columns', async (columns) => {
    const { stdout } = await workplace().runWith({ columns }, 'bundle', 'render', '--help');
    const { stdout: piped } = await workplace().run('bundle', 'render', '--help');
    const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
    expect(widest(stdout)).toBeLessThanOrEqual(columns);
    expect(widest(piped)).toBeGreaterThan(90);
  });

  test('loads nothing to print help but the definitions of the commands', () => {
    const loaded = new Set(['run.ts']);
    const modules = new Set<string>();
    for (const file of loaded) {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type)[^;]*?from '([^']+)'/gms)) {
        if (specifier.startsWith('.')) loaded.add(join(file, '..', specifier));
        else modules.add(specifier);
      }
    }
    expect([...modules]).toEqual(['commander']);
    expect([...loaded].sort()).toEqual([
      '../../report/clean.ts',
      '../serving/version.ts',
      'admin/acting-commands.ts',
      'admin/care-commands.ts',
      'admin/commands.ts',
      'admin/offer-commands.ts',
      'admin/reading-commands.ts',
      'adopt/commands.ts',
      'bundle/commands.ts',
      'bundle/compare-commands.ts',
      'bundle/trial/commands.ts',
      'catalog/commands.ts',
      'catalog/edit/commands.ts',
      'completion/commands.ts',
      'crd/commands.ts',
      'flags.ts',
      'mirror/commands.ts',
      'output/help-layout.ts',
      'plan/commands.ts',
      'program.ts',
      'rights/commands.ts',
      'run.ts',
      'ui/commands.ts',
      'verify/commands.ts',
      'why/commands.ts',
    ]);
  });
});

/** Commands whose output is for a shell. */
const PRINTS_SCRIPTS: ReadonlySet<string> = new Set(['completion', '__complete']);

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}
