/** Manners that every command has, whatever it does: help, wrong flags, widths, a missing cluster, Ctrl-C, a closed pipe. */
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { examplesOf } from './flags.ts';
import { FINDINGS } from './outcome.ts';
import { visibleLength } from './output/layout.ts';
import { buildProgram } from './program.ts';
import { useWorkplace } from './testing/slipway.ts';

const workplace = useWorkplace();
const silent = { print: () => {}, complain: () => {} };

interface Leaf {
  readonly words: readonly string[];
  readonly command: Command;
}

function leavesOf({ commands }: Command, before: readonly string[] = []): readonly Leaf[] {
  return commands.flatMap((command) => {
    const words = [...before, command.name()];
    if (command.name().startsWith('_')) return [];
    return command.commands.length > 0 ? leavesOf(command, words) : [{ words, command }];
  });
}

const LEAVES = leavesOf(buildProgram(async () => {}, silent));
const TITLED = LEAVES.map((leaf) => ({ ...leaf, title: leaf.words.join(' ') }));

/** The words of an example behind `slipway`, as a shell splits them. */
function wordsOf(example: string): readonly string[] {
  const [line = ''] = /(?<=(?:^|\| |\()slipway )[^|>#)]*/.exec(example) ?? [];
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? '');
}

const EXAMPLES = TITLED.flatMap(({ command, title }) =>
  examplesOf(command).map((example) => ({ title, command, example, args: wordsOf(example) })),
);

test('there are as many commands as the documentation lists', () => {
  expect(LEAVES.length).toBeGreaterThan(50);
  expect(EXAMPLES.length).toBeGreaterThanOrEqual(LEAVES.length);
});

/** `catalog add, remove` stands for two commands; an option behind them says when. */
const LISTED = Object.keys(FINDINGS).flatMap((key) => {
  const [first = '', ...others] = key.replace(/ --.*/, '').split(', ');
  return [first, ...others.map((other) => first.replace(/[^ ]+$/, other))];
});

test('the list of findings by command has each command whose help mentions exit code 2, and no other names', () => {
  const telling = TITLED.filter(({ command }) => {
    const options = command.options.filter(({ long }) => long !== '--strict').map(({ description }) => description);
    return [command.description(), ...options].some((text) => /exit code/i.test(text) && /\b2\b/.test(text));
  });
  expect(telling.length).toBeGreaterThan(9);
  expect(telling.map(({ title }) => title).filter((title) => !LISTED.includes(title))).toEqual([]);
  expect(LISTED.filter((name) => !TITLED.some(({ title }) => title === name))).toEqual([]);
});

describe.each(TITLED)('$title', ({ words, command }) => {
  test.each([40, 80, 160])('has help with examples that fits into %d columns', async (columns) => {
    const { code, stdout, stderr } = await workplace().runWith({ columns }, ...words, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: slipway /);
    expect(stdout).toContain('\nExamples:\n');
    const [help = ''] = stdout.split('\nExamples:\n');
    const long = help.split('\n').filter((line) => visibleLength(line) > columns && !isUnbreakable(line));
    expect(long).toEqual([]);
  });

  test.each([
    { because: 'an option that does not exist', further: ['--no-such-option'], says: /unknown option/ },
    { because: 'a format that does not exist', further: ['-o', 'no-such-format'], says: /-o, --output|unknown option/ },
  ])('refuses it on one line, with exit code 1: $because', async ({ further, says }) => {
    const { code, stdout, stderr } = await workplace().run(...words, ...argumentsFor(command), ...further);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: [^\n]+\n(?:\(--help has more\)\n)?$/);
    expect(stderr).toMatch(says);
  });
});

test.each(['doctor', 'version'])(
  '%s refuses the namespace of a Subscription, which is not that of the manager',
  async (name) => {
    const { code, stderr } = await workplace().run(name, '-n', 'lights');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("unknown option '-n'") });
  },
);

/** A term without a blank to break at, and the usage. */
function isUnbreakable(line: string): boolean {
  return line.trim().split(/\s+/).length <= 3 || line.startsWith('Usage: ');
}

/** Words for the arguments that a command needs, and options that it cannot do without. */
function argumentsFor({ registeredArguments, options }: Command): readonly string[] {
  return [
    ...registeredArguments.filter(({ required }) => required).map(({ argChoices }) => argChoices?.[0] ?? 'x'),
    ...options
      .filter(({ mandatory }) => mandatory)
      .flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']),
  ];
}

describe('the example', () => {
  const ofClusters = EXAMPLES.filter(
    ({ command, args }) =>
      command.options.some(({ long }) => long === '--kubeconfig') && !args.some((word) => OFFLINE.has(word)),
  );

  test.each(ofClusters)(
    'without a kubeconfig names the missing file, or the file of its own: $example',
    async ({ args }) => {
      const { code, stdout, stderr } = await workplace().run(...args);
      expect(code).toBe(1);
      expect(stdout.split('\n').length).toBeLessThan(3);
      expect(stderr).toMatch(/^slipway: InputInvalid: [^\n]+\n {2}\S[^\n]*\n$/);
    },
  );

  test.each(EXAMPLES)('ends at once after Ctrl-C: $example', async ({ args }) => {
    const signal = AbortSignal.abort(new Error('SIGINT'));
    const { code, stderr } = await workplace().runWith({ signal }, ...args);
    expect([0, 130]).toContain(code);
    expect(stderr.endsWith('slipway: interrupted\n')).toBe(code === 130);
    expect(stderr).not.toContain('defect');
  });

  test.each(EXAMPLES)('ends without a complaint if its reader is gone: $example', async ({ args }) => {
    const signal = AbortSignal.abort(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect((await workplace().runWith({ signal }, ...args)).code).toBe(0);
  });

  test.each(EXAMPLES)('has no escape sequences in a pipe: $example', async ({ args }) => {
    const signal = AbortSignal.abort(new Error('SIGTERM'));
    const { stdout, stderr } = await workplace().runWith({ signal, variables: { NO_COLOR: '1' } }, ...args);
    expect(`${stdout}${stderr}`).not.toMatch(/\u001B/);
  });
});

/** Options of commands that ask a cluster otherwise. */
const OFFLINE: ReadonlySet<string> = new Set(['--catalog', '--client', '--file', '--from', '-']);
