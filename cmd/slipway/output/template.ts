/** Writes data by a template. Pure. */
import { formatJsonPath } from './jsonpath.ts';

/** The values that a template of `-o jsonpath=` picks, harmless for a terminal. @throws ReasonedError InputInvalid */
export function formatTemplate(template: string, data: unknown): string {
  return formatJsonPath(template, data).replaceAll(UNSAFE, '');
}

/** Control characters but line breaks and tabulators, marks that turn the direction of writing, halves of characters. */
const UNSAFE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
