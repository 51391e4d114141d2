import { expect, test } from 'vitest';
import { createPainter, wantsColours, type ColourQuestion } from './colours.ts';

interface Row extends Partial<ColourQuestion> {
  readonly because: string;
  readonly coloured: boolean;
}

test.each<Row>([
  { because: 'it is a terminal', isTerminal: true, coloured: true },
  { because: 'it is a pipe', isTerminal: false, coloured: false },
  { because: 'NO_COLOR is set', isTerminal: true, variables: { NO_COLOR: '1' }, coloured: false },
  { because: 'an empty NO_COLOR counts as not set', isTerminal: true, variables: { NO_COLOR: '' }, coloured: true },
  { because: 'FORCE_COLOR is set', isTerminal: false, variables: { FORCE_COLOR: '1' }, coloured: true },
  { because: 'FORCE_COLOR=0 forces it off', isTerminal: true, variables: { FORCE_COLOR: '0' }, coloured: false },
  {
    because: 'FORCE_COLOR goes before NO_COLOR, as in Node',
    isTerminal: false,
    variables: { FORCE_COLOR: '1', NO_COLOR: '1' },
    coloured: true,
  },
  { because: 'the terminal is dumb', isTerminal: true, variables: { TERM: 'dumb' }, coloured: false },
  { because: '--color always', choice: 'always', isTerminal: false, variables: { NO_COLOR: '1' }, coloured: true },
  { because: '--color never', choice: 'never', isTerminal: true, variables: { FORCE_COLOR: '1' }, coloured: false },
  { because: '--color auto is as without it', choice: 'auto', isTerminal: false, coloured: false },
])('output is coloured ($coloured): $because', ({ coloured, ...question }) => {
  expect(wantsColours({ variables: {}, isTerminal: false, ...question })).toBe(coloured);
});

test('a painter without colours changes nothing', () => {
  expect(createPainter(false)('red', 'error')).toBe('error');
  expect(createPainter(true)('red', 'error')).toBe('\u001B[31merror\u001B[39m');
});
