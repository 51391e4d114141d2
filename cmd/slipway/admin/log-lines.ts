/** Lines of several logs, each with its origin. Pure, except for the state of unfinished lines. */
import { cleanLine } from '../../../report/clean.ts';

/** Splits what arrives of one log into lines, harmless for a terminal, each begun by its origin. */
export class LogLines {
  readonly #origin: string;
  #rest = '';
  readonly #decoder = new TextDecoder();

  constructor(origin: string) {
    this.#origin = origin;
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

  #format(line: string): string {
    const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ') ?? '';
    return `${this.#origin}${indent}${cleanLine(line)}\n`;
  }
}

/** A longer line is printed in parts. */
const LONGEST = 1 << 20;
