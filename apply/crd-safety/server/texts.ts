/** JSON of values that may be large, and short texts for messages about them. */
import { canonicalJson } from '../../../api/json.ts';
import { takeSteps } from './steps.ts';

/** JSON of lists and objects takes more time for each character than a text does. */
const CHARACTERS_OF_A_STEP = 4;

/** The canonical JSON of a value; takes steps for its length. */
export function measuredJson(value: unknown): string {
  // Known beforehand: the JSON of a text is at least as long.
  if (typeof value === 'string') takeSteps(value.length / CHARACTERS_OF_A_STEP);
  const json = canonicalJson(value);
  if (typeof value !== 'string') takeSteps(json.length / CHARACTERS_OF_A_STEP);
  return json;
}

const MOST_SHOWN = 60;

/** The beginning of a JSON text, as messages show it. */
export function shortJson(json: string): string {
  return cut(json, MOST_SHOWN);
}

/** The beginning of a text as JSON: of a text of any length, no more is written than is shown. */
export function shortText(text: string): string {
  return shortJson(canonicalJson(text.slice(0, MOST_SHOWN + 1)));
}

/** Names and patterns of a schema in a message: the longest published pattern of a CRD has some hundred characters. */
const MOST_NAMED = 200;

/** The beginning of a name, pattern or message that others wrote. */
export function cutName(text: string): string {
  return cut(text, MOST_NAMED);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The number of characters, not of their units: a character beyond the first plane has two. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += isPair(text, at) ? 2 : 1) count += 1;
  return count;
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}
