/** Starts the program of a credential plugin within limits, and names it without its secrets. */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { endGroup, spawnGroup } from './process-group.ts';
import type { ExecPlugin } from './schema.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

/** Why a program was ended before it ended itself. */
export type Cut = 'tooLong' | 'tooLarge';

/** More than any ExecCredential: an API server takes no request with a token that is longer. */
const MOST_CHARACTERS = 1024 * 1024;

/**
 * Starts a program without input. After some seconds, or if it prints without end, it is killed with all programs that it
 * has started; its output is closed then, because one that has left its group may hold that open for ever.
 */
export function startWithin(
  seconds: number,
  { command, args, options }: Program,
): { readonly child: ChildProcess; readonly cut: () => Cut | undefined } {
  const child = spawnGroup(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let cut: Cut | undefined;
  const end = (why: Cut): void => {
    cut ??= why;
    endGroup(child);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  };
  const timer = setTimeout(() => end('tooLong'), seconds * 1000);
  child.on('close', () => clearTimeout(timer));
  for (const stream of [child.stdout, child.stderr]) {
    let printed = 0;
    stream?.on('data', (piece: string) => {
      printed += piece.length;
      if (printed > MOST_CHARACTERS) end('tooLarge');
    });
  }
  return { child, cut: () => cut };
}

const HIDDEN = '[redacted]';
const SECRET = /^-[^=]*(?:secret|passw|token|key|credential)[^=]*/i;

/** The command with its arguments; values of arguments whose names speak of secrets are hidden. */
export function commandLine({ command, args }: ExecPlugin): string {
  const all = args ?? [];
  const shown = all.map((arg, at) => {
    const [name] = SECRET.exec(arg) ?? [];
    if (name !== undefined) return arg === name ? arg : `${name}=${HIDDEN}`;
    const before = all[at - 1] ?? '';
    return SECRET.exec(before)?.[0] === before && before !== '' && !arg.startsWith('-') ? HIDDEN : arg;
  });
  return [command, ...shown].join(' ');
}
