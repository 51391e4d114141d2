/** Catalogs whose content could not be read, one sentence for each. Pure. */
import type { Notice } from './models.ts';
import { line } from './text.ts';

/** A Catalog whose content could not be read may have other versions. */
export function contentNotices(
  answers: ReadonlyMap<string, { readonly value: unknown } | { readonly failure: { readonly message: string } }>,
): readonly Notice[] {
  return [...answers].flatMap(([catalog, answer]): readonly Notice[] =>
    'failure' in answer ? [{ tone: 'unknown', text: line(unreadable(catalog, answer.failure.message)) }] : [],
  );
}

/** Some messages name the Catalog themselves. */
function unreadable(catalog: string, message: string): string {
  return message.startsWith(`Catalog ${catalog} cannot be `)
    ? message
    : `Catalog ${catalog} cannot be read: ${message}`;
}
