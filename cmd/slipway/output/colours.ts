/** Decides whether output is coloured, and colours words. Pure. */

/** Values of `--color`. */
const COLOUR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColourChoice = (typeof COLOUR_CHOICES)[number];

export interface ColourQuestion {
  /** `--color`; absent is `auto`. */
  readonly choice?: ColourChoice;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/**
 * The option decides, then FORCE_COLOR, then NO_COLOR; without any of them a terminal gets colours, and a pipe or a file
 * does not.
 * @see https://no-color.org
 * @see https://force-color.org
 */
export function wantsColours({ choice = 'auto', variables, isTerminal }: ColourQuestion): boolean {
  if (choice !== 'auto') return choice === 'always';
  const { FORCE_COLOR: forced = '', NO_COLOR: unwanted = '', TERM: terminal } = variables;
  if (forced !== '') return !['0', 'false'].includes(forced);
  return unwanted === '' && isTerminal && terminal !== 'dumb';
}

export type Painter = (colour: keyof typeof CODES, text: string) => string;

const CODES = { red: [31, 39], yellow: [33, 39], faint: [2, 22], bold: [1, 22] } as const;

/** Colours a text, or leaves it as it is. */
export function createPainter(isColoured: boolean): Painter {
  if (!isColoured) return (_, text) => text;
  return (colour, text) => `\u001B[${CODES[colour][0]}m${text}\u001B[${CODES[colour][1]}m`;
}
