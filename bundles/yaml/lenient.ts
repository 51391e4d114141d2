/**
 * Reads the events of a YAML text as Go does, also if js-yaml is stricter: continuation lines of a quoted text or a
 * bracketed collection need no indentation, tabs may stand before and in brackets, a comment may follow both without a
 * space, and double quotes may have an escaped single quote. If js-yaml refuses a text for one of them, all such lines are
 * indented, tabs replaced, spaces added and backslashes removed at once, and the parser confirms that nothing else was
 * wrong, because none of them has a meaning. Every text is parsed twice at most.
 */
import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE, YAMLException, parseEvents, type Event } from 'js-yaml';
import { findConstructs, type Construct } from './continuations.ts';

export interface ParsedEvents {
  /** The text, or the repaired one, to which the positions in the events refer. */
  readonly source: string;
  readonly events: readonly Event[];
}

/** @throws YAMLException if Go refuses the text too. */
export function parseLenient(text: string, options: { readonly maxDepth: number }): ParsedEvents {
  try {
    return { source: text, events: parseEvents(text, options) };
  } catch (error) {
    if (!(error instanceof YAMLException) || !STRICTER.has(error.reason)) throw error;
    const repaired = repair(text);
    if (repaired === undefined) throw error;
    const events = parseEvents(repaired.source, options);
    if (!confirm(events, repaired.constructs)) throw error;
    return { source: repaired.source, events };
  }
}

/** Some are the reasons for other faults as well, for which nothing is found to repair. */
const STRICTER: ReadonlySet<string> = new Set([
  'deficient indentation',
  'unknown escape sequence',
  'bad indentation of a mapping entry',
  'missed comma between flow collection entries',
  'end of the stream or a document separator is expected',
]);

/**
 * More spaces than any published text needs, by far. A short text with one deep line and many short ones would become
 * a thousand times as long.
 */
const MAX_ADDED = 32 << 20;
const MAX_ADDED_PER_CHARACTER = 4;

type ConstructSpan = Pick<Construct, 'start' | 'end' | 'quoted'>;

interface Repaired {
  readonly source: string;
  /** Those that are changed, where they are now. */
  readonly constructs: readonly ConstructSpan[];
}

/** The text with all changes made. Undefined if there are none, or too many. */
function repair(text: string): Repaired | undefined {
  const parts: string[] = [];
  const constructs: ConstructSpan[] = [];
  const most = Math.min(MAX_ADDED, MAX_ADDED_PER_CHARACTER * text.length);
  let copied = 0;
  let added = 0;
  for (const construct of findConstructs(text) ?? []) {
    const before = added;
    const edits = editsOf(text, construct);
    for (const { at, until, spaces } of edits) {
      added += spaces - (until - at);
      if (added > most) return undefined;
      parts.push(text.slice(copied, at), ' '.repeat(spaces));
      copied = until;
    }
    const { start, end, quoted } = construct;
    const isBeforeComment = text[end] === '#';
    if (edits.length > 0 || isBeforeComment) constructs.push({ start: start + before, end: end + added, quoted });
    if (!isBeforeComment) continue;
    parts.push(text.slice(copied, end), ' ');
    copied = end;
    added += 1;
  }
  if (constructs.length === 0) return undefined;
  return { source: [...parts, text.slice(copied)].join(''), constructs };
}

/** Spaces in the place of a range. */
interface RepairEdit {
  readonly at: number;
  readonly until: number;
  readonly spaces: number;
}

/**
 * Indents each line by one column more than the key or dash that it belongs to, removes escapes, and sets spaces for tabs
 * and before comments.
 */
function editsOf(text: string, { lines, escapes, tabs, comments, parent }: Construct): readonly RepairEdit[] {
  const indented = lines.map((at) => ({ at, until: at, spaces: parent + 2 - indentationOf(text, at, parent + 2) }));
  return [
    ...indented.filter(({ spaces }) => spaces > 0),
    ...escapes.map((at) => ({ at, until: at + 1, spaces: 0 })),
    ...tabs.map((at) => ({ at, until: at + 1, spaces: 1 })),
    ...comments.map((at) => ({ at, until: at, spaces: 1 })),
  ].sort((a, b) => a.at - b.at);
}

function indentationOf(text: string, line: number, most: number): number {
  let count = 0;
  while (count < most && text[line + count] === ' ') count += 1;
  return count;
}

/** Whether the parser finds each of them in the same place, and nothing else before its end. */
function confirm(events: readonly Event[], constructs: readonly ConstructSpan[]): boolean {
  const spans = spansOf(events);
  let at = 0;
  return constructs.every((construct) => {
    while (at < spans.length && spans[at]!.start < construct.start) at += 1;
    const span = spans[at];
    const next = spans[at + 1];
    if (span?.start !== construct.start || span.quoted !== construct.quoted) return false;
    return construct.quoted ? span.end === construct.end : next === undefined || next.start >= construct.end;
  });
}

/** Scalars and collections that are in no brackets, by their first character; those in brackets extend to the end. */
function spansOf(events: readonly Event[]): readonly ConstructSpan[] {
  const spans: ConstructSpan[] = [];
  const open: boolean[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) open.pop();
    const inBrackets = open.at(-1) === true;
    const span = inBrackets ? undefined : spanOf(event);
    if (span !== undefined) spans.push(span);
    if (event.type === EVENT_ID.DOCUMENT) open.push(false);
    if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) {
      open.push(inBrackets || event.style === COLLECTION_STYLE.FLOW);
    }
  }
  return spans;
}

function spanOf(event: Event): ConstructSpan | undefined {
  switch (event.type) {
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.style === COLLECTION_STYLE.FLOW
        ? { start: event.start, end: event.start, quoted: false }
        : undefined;
    case EVENT_ID.SCALAR: {
      const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
      if (event.valueStart < 0) return undefined;
      return quoted
        ? { start: event.valueStart - 1, end: event.valueEnd + 1, quoted }
        : { start: event.valueStart, end: event.valueEnd, quoted };
    }
    case EVENT_ID.ALIAS:
      return { start: event.anchorStart, end: event.anchorEnd, quoted: false };
    default:
      return undefined;
  }
}
