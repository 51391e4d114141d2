/** Makes texts of the cluster and of catalogs harmless for a page, and bounds them. Pure. */
import { wholeCharacters } from '../../apply/short-text.ts';
import { cleanLine } from '../../report/clean.ts';
import { count } from '../../report/count.ts';

/** The longest line of a model, in characters; the API server permits conditions of 4,096. */
export const MOST_LINE = 4096;
/** The longest name: a version has at most 256 characters, a name of Kubernetes 253, and names of catalogs no bound. */
const MOST_NAME = 256;

/** A text as one line without control characters; a longer one is cut, and says how much is left out. */
export function line(text: unknown, most: number = MOST_LINE): string {
  if (typeof text !== 'string') return '';
  // no more is cleaned than can be shown
  const rough = text.length > 4 * most ? text.slice(0, 4 * most) : text;
  const clean = cleanLine(rough);
  if (clean.length <= most && rough === text) return clean;
  return `${wholeCharacters(clean.slice(0, most))}… (${count(text.length - most, 'further character')})`;
}

/** A name as one line. */
export function nameOf(text: unknown): string {
  return line(text, MOST_NAME);
}

/** Lines of a log or of a plan: each keeps its indentation. */
export function indentedLine(text: string, most: number = MOST_LINE): string {
  const indent = /^[ \t]*/.exec(text.slice(0, 256))?.[0].replaceAll('\t', '    ') ?? '';
  return `${indent}${line(text, most)}`;
}

/** Markdown: line breaks stay, everything else that acts on a reader goes. */
export function paragraphs(text: unknown, most: number): { readonly text: string; readonly isCut: boolean } {
  if (typeof text !== 'string') return { text: '', isCut: false };
  const kept = text
    .slice(0, most)
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replaceAll(UNPRINTABLE, '');
  return { text: wholeCharacters(kept), isCut: text.length > most };
}

/** Control characters but line breaks and tabulators, marks that turn the direction of writing, halves of characters. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The first entries of a list, and the sentence about the others. */
export function firstOf<Item>(
  items: readonly Item[],
  most: number,
  noun: string,
): { readonly shown: readonly Item[]; readonly cut?: { readonly omitted: number; readonly message: string } } {
  const omitted = items.length - most;
  if (omitted <= 0) return { shown: items };
  return { shown: items.slice(0, most), cut: { omitted, message: `${count(omitted, `further ${noun}`)} left out` } };
}
