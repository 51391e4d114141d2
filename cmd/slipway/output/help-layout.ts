/** Lays out an option or a command in help: on a narrow terminal the description is below its term. */
import type { Help } from 'commander';

/** The least room for a description beside its term. */
const LEAST_ROOM = 40;
const INDENT = 2;

/** A replacement for commander's own, which does not break lines on narrow terminals. */
export const HELP_LAYOUT: Partial<Help> = {
  minWidthToWrap: 16,
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? 80;
    const room = width - termWidth - 2 * INDENT;
    const isBelow = room < LEAST_ROOM;
    const lines = helper.boxWrap(description, isBelow ? width - 3 * INDENT : room).split('\n');
    if (description === '') return `${' '.repeat(INDENT)}${term}`;
    if (isBelow)
      return [`${' '.repeat(INDENT)}${term}`, ...lines.map((line) => `${' '.repeat(3 * INDENT)}${line}`)].join('\n');
    const [first = '', ...others] = lines;
    const next = ' '.repeat(termWidth + 2 * INDENT);
    return [
      `${' '.repeat(INDENT)}${term.padEnd(termWidth)}${' '.repeat(INDENT)}${first}`,
      ...others.map((line) => next + line),
    ].join('\n');
  },
};
