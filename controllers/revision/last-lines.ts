/** Reads the last lines that a container wrote: the next question of a person who knows which container fails. */
import { ReasonedError, redact } from '../../api/errors.ts';
import type { PodProblem } from '../../apply/explain-pods.ts';

/** Reads the text at a path of the API server. */
export type ReadText = (path: string, signal?: AbortSignal) => Promise<string>;

/** The result of reading a log. */
export interface LastLines {
  /** Oldest first. */
  readonly lines: readonly string[];
  /** Why there are none, if the API server does not allow reading it. */
  readonly refusal?: string;
}

export interface LastLinesOptions {
  readonly namespace: string;
  readonly signal: AbortSignal;
}

const LINES = 5;
const LINE_LENGTH = 240;
const LIMIT_BYTES = 8192;
/** A node that does not answer must not hold up the rest of the message. */
const WITHIN_MS = 5000;

/**
 * The last lines of the container that a problem is about; for one that crashes, those of its last run. None if the
 * container has not run, wrote nothing, or its log cannot be read.
 */
export async function readLastLines(
  read: ReadText,
  { kind, pod, container }: PodProblem,
  { namespace, signal }: LastLinesOptions,
): Promise<LastLines> {
  if (pod === undefined || container === undefined || !HAS_RUN.has(kind)) return NONE;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  const runs = kind === 'CrashLooping' ? [true, false] : [false];
  for (const previous of runs) {
    const query = new URLSearchParams({ container, tailLines: `${LINES}`, limitBytes: `${LIMIT_BYTES}` });
    if (previous) query.set('previous', 'true');
    const name = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
    const found = await readRun(read, `${name}?${query.toString()}`, limit);
    if (found.lines.length > 0 || found.refusal !== undefined) return found;
  }
  return NONE;
}

const NONE: LastLines = { lines: [] };

/** A missing right is reported, since it can be granted; a log that is gone or slow is not. */
async function readRun(read: ReadText, path: string, limit: AbortSignal): Promise<LastLines> {
  try {
    return { lines: splitLines(await read(path, limit)) };
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason !== 'Forbidden') return NONE;
    return { lines: [], refusal: error.message.replace(/^GET \S+: /, '') };
  }
}

const HAS_RUN: ReadonlySet<PodProblem['kind']> = new Set(['CrashLooping', 'NotReady', 'Failed']);

function splitLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => redact(withoutColours(line)).trim().slice(0, LINE_LENGTH));
  return lines.filter((line) => line !== '' && !NO_LOG.test(line)).slice(-LINES);
}

/** The kubelet answers this, with a status of success, for a log that is gone. */
const NO_LOG = /^unable to retrieve container logs for /;

function withoutColours(line: string): string {
  return line.replaceAll(/\u001B\[[\d;]*m/g, '');
}

/** The sentence with the lines that it does not contain already, or the reason why there are none. */
export function withLastLines(sentence: string, { lines, refusal }: LastLines): string {
  if (refusal !== undefined) return `${sentence}. Its log cannot be read: ${refusal}`;
  const fresh = lines.filter((line) => !sentence.includes(line));
  return fresh.length === 0 ? sentence : `${sentence}. Its last lines: ${fresh.join(' | ')}`;
}
