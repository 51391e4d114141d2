import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useFakeCluster } from '../admin/testing/fake-cluster.ts';
import { buildProgram } from '../program.ts';
import { candidatesOf } from './candidates.ts';
import { questionOf, type CompletionQuestion } from './question.ts';
import { scriptFor, SHELLS } from './scripts.ts';

const program = buildProgram(async () => {}, { print: () => {}, complain: () => {} });
const ask = (...words: readonly string[]): CompletionQuestion => questionOf(program, words);
const staticFor = (...words: readonly string[]): readonly string[] => candidatesOf(ask(...words), []);

describe('candidates that the definitions of the commands give', () => {
  test.each([
    { because: 'the first word is a command', words: ['stat'], found: ['status'] },
    { because: 'hidden commands are for scripts', words: ['__'], found: [] },
    {
      because: 'a group has commands of its own',
      words: ['catalog', ''],
      found: ['add', 'build', 'diff', 'graph', 'lint', 'list', 'promote', 'push', 'remove', 'validate'],
    },
    { because: 'options of the command', words: ['wait', 'x', '--ti'], found: ['--timeout'] },
    { because: 'every command has help', words: ['suspend', '--he'], found: ['--help'] },
    { because: 'choices of an option', words: ['wait', 'x', '--for', ''], found: ['deleted', 'ready'] },
    { because: 'the short form of an option', words: ['get', '-o', 'j'], found: ['json'] },
    { because: 'option and value in one word', words: ['get', '--output=j'], found: ['--output=json'] },
    { because: 'bash splits that word', words: ['get', '--output', '=', 'j'], found: ['json'] },
    { because: 'bash has no value yet', words: ['wait', 'x', '--for', '='], found: ['deleted', 'ready'] },
    { because: 'PowerShell has an empty word', words: ['wait', 'x', '--for', '""'], found: ['deleted', 'ready'] },
    { because: 'choices of an argument', words: ['completion', 'z'], found: ['zsh'] },
    { because: 'an option before an argument is none', words: ['completion', ''], found: ['bash', 'fish', 'powershell', 'zsh'] }, // prettier-ignore
    { because: 'kinds', words: ['get', 'c'], found: ['catalogs'] },
    { because: 'an option without a value leaves the next word free', words: ['get', '-A', 'c'], found: ['catalogs'] },
    { because: 'an unknown option', words: ['get', '--odd', 'c'], found: ['catalogs'] },
  ])('$because', ({ words, found }) => {
    expect(staticFor(...words)).toEqual(found);
  });
});

test.each([
  { words: ['status', ''], noun: 'subscription' },
  { words: ['status', '-n', 'ops', ''], noun: 'subscription' },
  { words: ['status', '-n', ''], noun: 'namespace' },
  { words: ['get', 'revisions', ''], noun: 'object' },
  { words: ['install', ''], noun: 'package' },
  { words: ['install', 'x', '--channel', ''], noun: 'channel' },
  { words: ['install', 'x', '--catalog', ''], noun: 'catalog' },
  { words: ['upgrade', 'x', '--version', ''], noun: 'version' },
  { words: ['rollback', 'x', '--to', ''], noun: 'installed' },
  { words: ['status', 'x', ''], noun: undefined },
  { words: ['why', '--catalog', ''], noun: 'catalog' },
  { words: ['bundle', 'validate', '--category', ''], noun: undefined },
])('$words asks for $noun', ({ words, noun }) => {
  expect(ask(...words).noun).toBe(noun);
});

test.each(['a b', '$(reboot)', 'a;b', '`x`', '\u202ea', "a'b", 'a\nb'])(
  'a name on which a shell would act is no candidate: %j',
  (name) => {
    expect(candidatesOf(ask(''), [name])).not.toContain(name);
  },
);

const cluster = useFakeCluster();

describe('candidates from the cluster', () => {
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const config = ['--kubeconfig', 'kubeconfig', '--context', 'two'];
    const [command = '', ...rest] = words;
    const { code, stdout } = await cluster().alone('__complete', '--', command, ...config, ...rest);
    expect(code).toBe(0);
    return stdout.split('\n').filter((line) => line !== '');
  };

  test.each([
    {
      because: 'names of the namespace, and those of others in full',
      words: ['status', ''],
      found: ['gadget', 'home/lamp'],
    },
    { because: 'names in a namespace', words: ['status', '-n', 'home', ''], found: ['lamp'] },
    { because: 'NAMESPACE/NAME', words: ['status', 'ops/'], found: ['ops/gadget'] },
    { because: 'names of a kind', words: ['get', 'catalogs', ''], found: ['team'] },
    { because: 'Catalogs', words: ['install', 'x', '--catalog', ''], found: ['team'] },
    { because: 'versions of the status', words: ['upgrade', 'gadget', '--version', ''], found: ['1.0.0', '2.0.0'] },
    { because: 'versions of the Revisions', words: ['rollback', 'gadget', '--to', ''], found: ['1.0.0', '2.0.0'] },
    { because: 'a Subscription that does not exist has none', words: ['rollback', 'none', '--to', ''], found: [] },
  ])('$because', async ({ words, found }) => {
    expect(await complete(...words)).toEqual(found);
  });

  test('without a cluster are none, and no failure', async () => {
    expect(await cluster().alone('__complete', '--', 'status', '')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('the script', () => {
  test.each(SHELLS)('for %s is printed, and runs the hidden command', async (shell) => {
    const { code, stdout } = await cluster().alone('completion', shell);
    expect({ code, stdout }).toEqual({ code: 0, stdout: scriptFor(shell) });
    expect(stdout).toContain('slipway __complete -- ');
  });

  test.each([
    { line: ['slipway', 'hist'], found: ['history'] },
    { line: ['slipway', 'wait', 'x', '--for', ''], found: ['deleted', 'ready'] },
    { line: ['slipway', 'get', '--output', '=', 'w'], found: ['wide'] },
  ])('for bash completes $line', ({ line, found }) => {
    const main = join(import.meta.dirname, '../main.ts');
    const words = line.map((word) => `'${word}'`).join(' ');
    const script = [
      `slipway() { '${process.execPath}' '${main}' "$@"; }`,
      scriptFor('bash'),
      `COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _slipway; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join('\n');
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect({ stderr, found: stdout.trim().split('\n') }).toEqual({ stderr: '', found });
  });
});
