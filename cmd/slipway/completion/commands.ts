/** `slipway completion`, and the hidden command that its scripts run. */
import { Argument, type Command } from 'commander';
import { withExamples, type Perform } from '../flags.ts';

/** Begins with a character that hides it: it is for scripts. */
const COMPLETE = '__complete';

export function defineCompletionCommands(program: Command, perform: Perform): void {
  withExamples(
    program
      .command('completion')
      .description(
        'Prints a script that teaches a shell to complete commands, options and the names of Subscriptions, Catalogs, packages, channels and versions.',
      )
      .addArgument(new Argument('<shell>', 'shell that runs the script').choices(['bash', 'zsh', 'fish', 'powershell']))
      .action((shell: 'bash' | 'zsh' | 'fish' | 'powershell') =>
        perform({ output: 'script' }, async () => {
          const script = (await import('./scripts.ts')).scriptFor(shell);
          return { data: { script }, text: script };
        }),
      ),
    'source <(slipway completion bash)',
    'slipway completion fish | source',
  );
  program
    .command(COMPLETE, { hidden: true })
    .description('Prints the candidates for the last of the words.')
    .argument('[words...]', 'words behind the name of the program, up to the cursor')
    .action((words: readonly string[]) =>
      perform({ output: 'script' }, async (environment) =>
        (await import('./candidates.ts')).complete(environment, program, words),
      ),
    );
}
