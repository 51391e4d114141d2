/** Says whether the properties that a Revision keeps of its bundle can be read. Pure. */
import { parseJson } from '../api/json.ts';
import type { Revision } from '../api/revision.ts';

/** What is wrong with them, as the end of a sentence; undefined if all of them can be read. */
export function problemOfProperties({ spec }: Pick<Revision, 'spec'>): string | undefined {
  const index = (spec.properties ?? []).findIndex(({ value }) => !isJson(value));
  if (index < 0) return undefined;
  return `spec.properties[${index}] (${spec.properties?.[index]?.type}) is not JSON that can be read`;
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
