/**
 * Builds data from the events of a YAML text: the last of duplicate keys wins, merge keys act in their order, keys
 * become strings, aliases share their value but count as if they were copied.
 */
import { EVENT_ID, getScalarValue, type Event } from 'js-yaml';
import type { Room } from '../room.ts';
import { YamlError } from './error.ts';
import { checkMerge } from './growth.ts';
import { tooMany, type YamlLimits } from './limits.ts';
import { resolvePlain, resolveTagged } from './scalar.ts';

/** Counts over all documents of a file: each of a thousand could use up a bound of its own. */
export interface FileCount {
  nodes: number;
  /** Left for values that aliases and merge keys repeat. */
  readonly growth: Room;
}

/** The value of each document of an event stream. @throws YamlError without a place. */
export function buildDocuments(
  { source, events }: { readonly source: string; readonly events: readonly Event[] },
  total: FileCount,
  limits: YamlLimits,
): readonly unknown[] {
  const state: BuildState = {
    source,
    total,
    limits,
    documents: [],
    frames: [],
    anchors: new Map(),
    handles: new Map(),
  };
  for (const event of events) step(state, event);
  return state.documents;
}

/** A collection that is being filled. `before` is the number of nodes when it was opened. */
interface Frame {
  readonly kind: 'document' | 'sequence' | 'mapping';
  readonly value: unknown[] | Record<string, unknown>;
  readonly anchor: string | undefined;
  readonly before: number;
  /** The key that waits for its value; MERGE for a merge key. */
  key: string | typeof MERGE | undefined;
}

/** The value of an alias; `open` while the collection that it names is not complete. */
type Anchor = { readonly value: unknown; readonly nodes: number } | { readonly open: Frame };

interface BuildState {
  readonly source: string;
  readonly total: FileCount;
  readonly limits: YamlLimits;
  readonly documents: unknown[];
  readonly frames: Frame[];
  readonly anchors: Map<string, Anchor>;
  readonly handles: Map<string, string>;
}

const MERGE = Symbol('merge key');
const CORE = 'tag:yaml.org,2002:';

function step(state: BuildState, event: Event): void {
  switch (event.type) {
    case EVENT_ID.DOCUMENT:
      openDocument(state, event);
      return;
    case EVENT_ID.SEQUENCE:
      open(state, 'sequence', [], event);
      return;
    case EVENT_ID.MAPPING:
      open(state, 'mapping', {}, event);
      return;
    case EVENT_ID.SCALAR:
      addScalar(state, event);
      return;
    case EVENT_ID.ALIAS:
      addAlias(state, state.source.slice(event.anchorStart, event.anchorEnd));
      return;
    case EVENT_ID.POP:
      close(state);
  }
}

function openDocument(state: BuildState, { directives }: Extract<Event, { type: 1 }>): void {
  state.anchors.clear();
  state.handles.clear();
  for (const directive of directives) {
    if (directive.kind === 'tag') state.handles.set(directive.handle, directive.prefix);
  }
  state.frames.push({ kind: 'document', value: [], anchor: undefined, before: 0, key: undefined });
}

type Anchored = { readonly anchorStart: number; readonly anchorEnd: number };

function open(state: BuildState, kind: Frame['kind'], value: Frame['value'], event: Anchored): void {
  const top = state.frames.at(-1);
  if (top?.kind === 'mapping' && top.key === undefined) {
    throw new YamlError({ kind: 'syntax', what: 'has a list or map as a key' });
  }
  const frame: Frame = { kind, value, anchor: anchorOf(state, event), before: state.total.nodes, key: undefined };
  state.frames.push(frame);
  if (frame.anchor !== undefined) state.anchors.set(frame.anchor, { open: frame });
  count(state, 1);
}

function close(state: BuildState): void {
  const frame = state.frames.pop();
  if (frame === undefined) throw new Error('the event stream closes more than it opens');
  if (frame.kind === 'document') {
    state.documents.push((frame.value as unknown[])[0] ?? null);
    return;
  }
  complete(state, frame);
  add(state, frame.value);
}

function addScalar(state: BuildState, event: Extract<Event, { type: 4 }>): void {
  count(state, 1);
  const text = getScalarValue(state.source, event);
  const rawTag = event.tagStart < 0 ? '' : state.source.slice(event.tagStart, event.tagEnd);
  const tag = rawTag === '' ? '' : fullTag(state, rawTag);
  const top = state.frames.at(-1);
  const plain = event.style === PLAIN && tag === '';
  if (top?.kind === 'mapping' && top.key === undefined && text === '<<' && (plain || tag === `${CORE}merge`)) {
    top.key = MERGE;
    return;
  }
  const value = plain ? resolvePlain(text) : resolveTagged(text, tag);
  const anchor = anchorOf(state, event);
  if (anchor !== undefined) state.anchors.set(anchor, { value, nodes: 1 });
  add(state, value);
}

const PLAIN = 1;

function fullTag(state: BuildState, raw: string): string {
  if (raw.startsWith('!<') && raw.endsWith('>')) return raw.slice(2, -1);
  const end = raw.indexOf('!', 1);
  const handle = end < 0 ? '!' : raw.slice(0, end + 1);
  const prefix = state.handles.get(handle) ?? (handle === '!!' ? CORE : handle);
  return `${prefix}${raw.slice(handle.length)}`;
}

function addAlias(state: BuildState, name: string): void {
  const anchor = state.anchors.get(name);
  if (anchor === undefined || 'open' in anchor) {
    const what = anchor === undefined ? `has an unknown anchor "${name}"` : `has an anchor "${name}" inside of itself`;
    throw new YamlError({ kind: 'syntax', what });
  }
  count(state, anchor.nodes);
  add(state, anchor.value);
}

function anchorOf(state: BuildState, { anchorStart, anchorEnd }: Anchored): string | undefined {
  return anchorStart < 0 ? undefined : state.source.slice(anchorStart, anchorEnd);
}

/** An anchor of the same name inside the collection is the newer one, and stays. */
function complete(state: BuildState, frame: Frame): void {
  const anchor = frame.anchor === undefined ? undefined : state.anchors.get(frame.anchor);
  if (frame.anchor === undefined || anchor === undefined || !('open' in anchor) || anchor.open !== frame) return;
  state.anchors.set(frame.anchor, { value: frame.value, nodes: state.total.nodes - frame.before });
}

function count(state: BuildState, nodes: number): void {
  state.total.nodes += nodes;
  if (state.total.nodes > state.limits.maxNodes) throw tooMany(state.limits.maxNodes);
}

function add(state: BuildState, value: unknown): void {
  const frame = state.frames.at(-1);
  if (frame === undefined) throw new Error('the event stream has a value outside of a document');
  if (frame.kind !== 'mapping') {
    (frame.value as unknown[]).push(value);
    return;
  }
  if (frame.key === undefined) {
    frame.key = keyText(value);
    return;
  }
  if (frame.key === MERGE) merge(state, frame.value as Record<string, unknown>, value);
  else setOwn(frame.value as Record<string, unknown>, frame.key, value);
  frame.key = undefined;
}

function keyText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new YamlError({ kind: 'syntax', what: value === null ? 'has an empty key' : 'has a list or map as a key' });
}

/** Later keys win over merged ones and merged ones over earlier keys; in a list the first map wins. */
function merge(state: BuildState, target: Record<string, unknown>, value: unknown): void {
  const sources = Array.isArray(value) ? value.toReversed() : [value];
  for (const source of sources) {
    if (source === null || typeof source !== 'object' || Array.isArray(source)) {
      throw new YamlError({ kind: 'syntax', what: 'has a merge key "<<" whose value is not a map' });
    }
    const entries = Object.entries(source);
    checkMerge(entries.length, state.total.growth);
    count(state, entries.length);
    for (const [key, child] of entries) setOwn(target, key, child);
  }
}

/** Sets an own property of any name: `__proto__` is a key like any other. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
