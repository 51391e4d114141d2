/** Reads the manager's log as it grows, and finds lines that only a defect of the manager writes. */
import { closeSync, openSync, readSync } from 'node:fs';
import { isRecord, textOf } from '../../api/untyped.ts';

/** One defect that was logged, however often. */
export interface Defect {
  /** Kind of error and message, cut. */
  readonly message: string;
  /** Where it was thrown. */
  readonly at: string;
  count: number;
}

export interface LogReader {
  /** Reads the lines since the last call. */
  read(): void;
  readonly lines: () => number;
  readonly bytes: () => number;
  readonly defects: () => readonly Defect[];
}

const PIECE = 1 << 20;
const ERROR_LEVEL = 50;

/** A reader from the beginning of the file. */
export function createLogReader(file: string): LogReader {
  const found = new Map<string, Defect>();
  let [offset, lines, rest] = [0, 0, ''];

  function take(line: string): void {
    lines += 1;
    const defect = findDefect(line);
    if (defect === undefined) return;
    const key = `${defect.message}\n${defect.at}`;
    const known = found.get(key) ?? defect;
    known.count += 1;
    found.set(key, known);
  }

  return {
    read() {
      const handle = openSync(file, 'r');
      try {
        const piece = Buffer.alloc(PIECE);
        for (
          let size = readSync(handle, piece, 0, PIECE, offset);
          size > 0;
          size = readSync(handle, piece, 0, PIECE, offset)
        ) {
          offset += size;
          const parts = (rest + piece.toString('latin1', 0, size)).split('\n');
          rest = parts.pop() ?? '';
          parts.forEach(take);
        }
      } finally {
        closeSync(handle);
      }
    },
    lines: () => lines,
    bytes: () => offset,
    defects: () => [...found.values()].sort((a, b) => b.count - a.count),
  };
}

/** An error without a reason is a defect; so is a line that is no JSON, which is how a process ends by itself. */
export function findDefect(line: string): Defect | undefined {
  const entry = parse(line);
  if (entry === undefined)
    return line.trim() === '' ? undefined : { message: cut(line), at: 'no line of the log', count: 0 };
  const error = entry['err'];
  if (Number(entry['level']) < ERROR_LEVEL || !isRecord(error) || typeof error['reason'] === 'string') return undefined;
  const type = textOf(error['type']);
  return { message: cut(`${type}: ${textOf(error['message'])}`), at: placeOf(textOf(error['stack'])), count: 0 };
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const entry = JSON.parse(line) as unknown;
    return isRecord(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function placeOf(stack: string): string {
  return /^\s+at .*/m.exec(stack)?.[0].trim() ?? '';
}

function cut(text: string): string {
  return text.slice(0, 160);
}
