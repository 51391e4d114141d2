/** What a container wrote last: what a person would ask for next, once they know which one fails. */
import { redact } from '../../api/errors.ts';
import type { PodProblem } from '../../apply/explain-pods.ts';

/** Reads the text at a path of the API server. */
export type ReadText = (path: string, signal?: AbortSignal) => Promise<string>;

export interface LastLinesOptions {
  readonly namespace: string;
  readonly signal: AbortSignal;
}

const LINES = 5;
const LINE_LENGTH = 240;
const LIMIT_BYTES = 8192;
/** A node that does not answer must not hold up what else there is to say. */
const WITHIN_MS = 5000;

/**
 * The last lines of the container that a problem is about, oldest first; of one that crashes, those of its last run. None
 * where the problem is about no container that has run, where there are none, and where they cannot be read.
 */
export async function readLastLines(
  read: ReadText,
  { kind, pod, container }: PodProblem,
  { namespace, signal }: LastLinesOptions,
): Promise<readonly string[]> {
  if (pod === undefined || container === undefined || !HAS_RUN.has(kind)) return [];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  const runs = kind === 'CrashLooping' ? [true, false] : [false];
  for (const previous of runs) {
    const query = new URLSearchParams({ container, tailLines: `${LINES}`, limitBytes: `${LIMIT_BYTES}` });
    if (previous) query.set('previous', 'true');
    const name = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
    const lines = splitLines(await read(`${name}?${query.toString()}`, limit).catch(() => ''));
    if (lines.length > 0) return lines;
  }
  return [];
}

const HAS_RUN: ReadonlySet<PodProblem['kind']> = new Set(['CrashLooping', 'NotReady', 'Failed']);

function splitLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => redact(withoutColours(line)).trim().slice(0, LINE_LENGTH));
  return lines.filter((line) => line !== '' && !NO_LOG.test(line)).slice(-LINES);
}

/** What the kubelet answers instead of a log that is gone, with the status of a success. */
const NO_LOG = /^unable to retrieve container logs for /;

function withoutColours(line: string): string {
  return line.replaceAll(/\u001B\[[\d;]*m/g, '');
}

/** The sentence with the lines that it does not have already. */
export function withLastLines(sentence: string, lines: readonly string[]): string {
  const fresh = lines.filter((line) => !sentence.includes(line));
  return fresh.length === 0 ? sentence : `${sentence}. Its last lines: ${fresh.join(' | ')}`;
}
