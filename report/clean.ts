/** Makes texts of others harmless for a terminal. */

/** Control and formatting characters, line and paragraph separators, halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * A text as one line without anything that a terminal acts on: escape sequences, line breaks, marks that turn the
 * direction of writing. White space counts as one space.
 */
export function cleanLine(text: string): string {
  return text
    .replaceAll(/[\s\u0085]+/g, ' ')
    .replaceAll(UNPRINTABLE, '')
    .trim();
}

/** JSON in which such characters are escaped: the same data, and safe to print. */
export function escapeJson(json: string): string {
  return json.replaceAll(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
