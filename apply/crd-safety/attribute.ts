/** Finds the schema finding that predicted a harm to an object. Pure. */
import type { CrdFinding } from './compare.ts';
import type { Harm } from './hurt.ts';
import { passFields, readText } from './server/steps.ts';
import { cutName } from './server/texts.ts';

export interface Attributed {
  readonly finding: CrdFinding;
  /** What happens to the object, if the finding does not say it. */
  readonly because?: string;
}

/** Rules that can cause any harm below their node: a free value now has to follow a schema, or a different one. */
const OPENING: ReadonlySet<string> = new Set([
  'unknownFields',
  'mapValues',
  'embeddedResource',
  'type',
  'existingFieldRemoval',
  'pruning',
]);

/**
 * Returns a function that finds the finding of the same rule at the same node; else the nearest opening one above it; else
 * a new one, so that every harm is reported. `findings` are those of one comparison. Takes steps (server/steps.ts).
 */
export function attributeTo(findings: readonly CrdFinding[], label: string): (harm: Harm) => Attributed {
  passFields(findings.length);
  const telling = findings.filter((finding) => finding.effect === 'loses' || finding.effect === 'rejects');
  const byPlace = new Map(telling.toReversed().map((finding) => [placeOf(finding), finding]));
  const opening = telling
    .filter(({ rule, path }) => OPENING.has(rule) && path !== undefined)
    .toSorted((a, b) => (b.path ?? '').length - (a.path ?? '').length);
  const characters = opening.reduce((sum, { path }) => sum + (path?.length ?? 0), 0);
  const crd = findings[0]?.crd ?? '';
  return (harm) => {
    const { rule, path, message, effect } = harm;
    const same = byPlace.get(placeOf(harm));
    if (same !== undefined) return saysItself(same) ? { finding: same } : { finding: same, because: message };
    passFields(opening.length + characters / CHARACTERS_OF_A_FIELD);
    const above = opening.find((finding) => isAtOrBelow(path, finding.path ?? ''));
    if (above !== undefined) return { finding: above, because: `${cutName(path)}: ${message}` };
    return { finding: { crd, rule, effect, version: label, path, message, waived: false } };
  };
}

/** Comparing so many characters takes no longer than passing a field. */
const CHARACTERS_OF_A_FIELD = 64;

function placeOf({ rule, path }: Pick<CrdFinding, 'rule' | 'path'>): string {
  readText(path?.length ?? 0);
  return JSON.stringify([rule, path]);
}

function isAtOrBelow(path: string, above: string): boolean {
  return path.startsWith(above) && (path.length === above.length || path[above.length] === '.');
}

/** Findings that need no explanation: a removed field is dropped, a required field is missing. */
function saysItself({ rule }: CrdFinding): boolean {
  return rule === 'existingFieldRemoval' || rule === 'required';
}
