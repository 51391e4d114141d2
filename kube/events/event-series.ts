/**
 * Builds Event objects of `events.k8s.io/v1`. Pure; events.ts sends them.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
import { createHash } from 'node:crypto';
import { redact } from '../../api/errors.ts';
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import { microTime } from '../election/lease-record.ts';

/** An occurrence to report to people. */
export interface Occurrence {
  /** The object that it is about, or a reference to it. */
  readonly regarding: KubeObject | (ObjectRef & { readonly uid?: string });
  /** Another object involved. */
  readonly related?: KubeObject | (ObjectRef & { readonly uid?: string });
  readonly type: 'Normal' | 'Warning';
  /** A CamelCase word of the closed list. */
  readonly reason: string;
  /** The action in progress: `Install`, `Upgrade`, … */
  readonly action: string;
  /** For people; cut to 1024 bytes. */
  readonly note: string;
}

/** The program that reports. */
export interface Reporter {
  /** `slipway.dev/manager`. */
  readonly controller: string;
  /** The Pod or process. */
  readonly instance: string;
}

const MOST_NOTE_BYTES = 1024;
const MOST_WORD_LENGTH = 128;

/** Occurrences with the same key are one series; the key is short even for a long note. */
export function seriesKey({ regarding, related, type, reason, action, note }: Occurrence): string {
  const facts = JSON.stringify([referTo(regarding), related && referTo(related), type, reason, action, note]);
  return createHash('sha256').update(facts).digest('base64');
}

/** The first Event of a series, at `wall` milliseconds since 1970; `unique` distinguishes it from others. */
export function buildEvent(
  facts: Occurrence,
  reporter: Reporter,
  when: { readonly wall: number; readonly unique: string },
): KubeObject {
  const regarding = referTo(facts.regarding);
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: eventName(regarding.name, when.unique), namespace: regarding.namespace ?? 'default' },
    eventTime: microTime(when.wall),
    reportingController: reporter.controller,
    reportingInstance: cutText(reporter.instance, MOST_WORD_LENGTH),
    type: facts.type,
    reason: cutText(facts.reason, MOST_WORD_LENGTH),
    action: cutText(facts.action, MOST_WORD_LENGTH),
    note: cutText(redact(facts.note), MOST_NOTE_BYTES),
    regarding,
    ...(facts.related !== undefined && { related: referTo(facts.related) }),
  };
}

/** The patch that sets an Event's count. */
export function seriesPatch(count: number, wall: number): Readonly<Record<string, unknown>> {
  return { series: { count, lastObservedTime: microTime(wall) } };
}

/** Text of at most `maxBytes` in UTF-8, cut between characters; `…` marks a cut. */
export function cutText(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const room = Buffer.from(text).subarray(0, maxBytes - ELLIPSIS_BYTES);
  let end = room.length;
  while (end > 0 && isContinuation(Buffer.from(text)[end])) end -= 1;
  return `${room.subarray(0, end).toString()}…`;
}

const ELLIPSIS_BYTES = 3;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** `ObjectReference`: enough to find the object again. */
function referTo(target: Occurrence['regarding']): ObjectRef & { readonly uid?: string } {
  const { apiVersion, kind } = target;
  const { namespace, name, uid } = ('metadata' in target ? target.metadata : target) as Pick<
    ObjectRef,
    'namespace' | 'name'
  > & { readonly uid?: string };
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, ...(uid !== undefined && { uid }) };
}

/** A name of valid length: that of the object, then the unique part. */
function eventName(name: string, unique: string): string {
  const suffix = createHash('sha256').update(unique).digest('hex').slice(0, 16);
  return `${name.slice(0, 253 - suffix.length - 1)}.${suffix}`;
}
