/** Every command has examples in its help, and the program takes each of them. */
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { examplesOf } from '../cmd/slipway/flags.ts';
import { buildProgram } from '../cmd/slipway/program.ts';
import { faultOf, slipwayCommands } from './slipway-commands.ts';

const program = buildProgram(async () => {}, { print: () => {}, complain: () => {} });
const commands = leavesOf(program, '');

function leavesOf(command: Command, name: string): readonly { readonly name: string; readonly command: Command }[] {
  if (command.commands.length === 0) return [{ name: name.trim(), command }];
  const shown = command.commands.filter((child) => !child.name().startsWith('_'));
  return shown.flatMap((child) => leavesOf(child, `${name} ${child.name()}`));
}

test('all commands are found', () => {
  expect(commands.length).toBeGreaterThan(30);
});

describe.each(commands)('$name', ({ name, command }) => {
  const examples = examplesOf(command);

  test('has an example that runs it', () => {
    const words = name.split(' ');
    const found = examples.flatMap(slipwayCommands).filter((one) => words.every((word, at) => one[at] === word));
    expect(found.length).toBeGreaterThan(0);
  });

  test('has examples that the program takes', async () => {
    for (const example of examples) {
      const parts = slipwayCommands(example);
      expect(parts.length, example).toBeGreaterThan(0);
      for (const words of parts) expect(await faultOf(words), example).toBeUndefined();
    }
  });
});
