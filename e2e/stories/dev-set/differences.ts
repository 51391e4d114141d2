/** Finds the differences between the object that was sent and the API server's answer. */
import { canonicalJson } from '../../../api/json.ts';
import { type Fields, isRecord } from '../../../api/untyped.ts';

/** One a place: `lost spec.names.categories=[]`, `added …`, `changed …`; list positions and names of properties left out. */
export function differencesOf(sent: unknown, answered: unknown, path: string): readonly string[] {
  if (isRecord(sent) && isRecord(answered)) return differencesOfRecords(sent, answered, path);
  if (Array.isArray(sent) && Array.isArray(answered) && sent.length === answered.length) {
    return sent.flatMap((item, index) => differencesOf(item, answered[index], `${path}[]`));
  }
  const [before, after] = [canonicalJson(sent), canonicalJson(answered)];
  return before === after ? [] : [`changed ${path}: ${before} → ${after}`];
}

function differencesOfRecords(sent: Fields, answered: Fields, path: string): readonly string[] {
  return [...new Set([...Object.keys(sent), ...Object.keys(answered)])].flatMap((key) => {
    const place = `${path}.${/\.(properties|patternProperties)$/.test(path) ? '*' : key}`;
    if (!(key in answered)) return [`lost ${place}=${canonicalJson(sent[key])}`];
    if (!(key in sent)) return [`added ${place}=${canonicalJson(answered[key])}`];
    return differencesOf(sent[key], answered[key], place);
  });
}
