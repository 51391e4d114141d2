/** Lines of several logs, each with its origin. Pure, except for the state of unfinished lines. */
import { cleanLine } from '../../../report/clean.ts';

/** Splits what arrives of one log into lines, and formats each of them. */
export class LogLines {
  readonly #format: (line: string) => string;
  #rest = '';
  readonly #decoder = new TextDecoder();

  constructor(format: (line: string) => string) {
    this.#format = format;
  }

  /** The lines that are complete with this chunk. */
  add(chunk: Uint8Array): string {
    const lines = `${this.#rest}${this.#decoder.decode(chunk, { stream: true })}`.split('\n');
    const rest = lines.pop() ?? '';
    const isTooLong = rest.length > LONGEST;
    this.#rest = isTooLong ? '' : rest;
    return [...lines, ...(isTooLong ? [rest] : [])].map((line) => this.#format(line)).join('');
  }

  /** The last line, if no line break ends it. */
  end(): string {
    return this.#rest === '' ? '' : this.#format(this.#rest);
  }
}

/** A line for a terminal: begun by its origin, its indentation kept, harmless. */
export function withOrigin(origin: string, line: string): string {
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ') ?? '';
  return `${cleanLine(origin)} ${indent}${cleanLine(line)}\n`;
}

/** A longer line is printed in parts. */
const LONGEST = 1 << 20;
