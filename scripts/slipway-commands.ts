/** Finds the commands of `slipway` in scripts, and checks them against the definitions of the commands. */
import { buildProgram } from '../cmd/slipway/program.ts';

/** The commands in a text, each as words: up to the end of a line, of a pipe or of a redirection. */
export function slipwayCommands(text: string): readonly (readonly string[])[] {
  const joined = text.replaceAll(/\\\n\s*/g, ' ');
  return [...joined.matchAll(COMMAND)].map(([, command = '']) => wordsOf(command));
}

/** At the beginning of a command: of a line, of an item of a list, or behind an operator of the shell. */
const COMMAND = /(?:^|[;&|(!]|\$\()[ \t]*(?:- |run: |then |else |do )?slipway ((?:"[^"]*"|'[^']*'|[^|;&)<>"'#\n])+)/gm;

/** As a shell takes them apart; `${name:+--from "$name"}` counts as the words behind its sign. */
function wordsOf(command: string): readonly string[] {
  const plain = command.replaceAll(/\$\{\w+:\+((?:"[^"]*"|[^}"])*)\}/g, '$1');
  const words = plain.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** Why the program refuses a command; undefined if it takes it. Variables have the values of `given`. */
export async function faultOf(
  words: readonly string[],
  given: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  let fault = '';
  const writers = { print: () => {}, complain: (text: string) => void (fault += text) };
  const filled = words.map((word) => word.replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => given[name] ?? name));
  try {
    await buildProgram(async () => {}, writers).parseAsync(filled, { from: 'user' });
    return undefined;
  } catch (error) {
    return fault === '' ? (error as Error).message : fault;
  }
}
