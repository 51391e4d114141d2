/** Finds out which finding about two schemas foretold the harm that is done to an object. Pure. */
import type { Finding } from './compare.ts';
import type { Harm } from './hurt.ts';

export interface Attributed {
  readonly finding: Finding;
  /** What happens to the object, if the finding does not say it. */
  readonly because?: string;
}

/** What opens the way for any harm below it: a value that was free has to follow a schema, or another one. */
const OPENING: ReadonlySet<string> = new Set([
  'unknownFields',
  'mapValues',
  'embeddedResource',
  'type',
  'existingFieldRemoval',
  'pruning',
]);

/**
 * The finding of the same rule at the same node; else the nearest one above that opens the way; else one of its own, so
 * that no harm goes unsaid. Of `findings`, which are those of one comparison.
 */
export function attribute(harm: Harm, label: string, findings: readonly Finding[]): Attributed {
  const { rule, path, message, effect } = harm;
  const telling = findings.filter((finding) => finding.effect === 'loses' || finding.effect === 'rejects');
  const same = telling.find((finding) => finding.rule === rule && finding.path === path);
  if (same !== undefined) return saysItself(same) ? { finding: same } : { finding: same, because: message };
  const above = telling
    .filter((finding) => OPENING.has(finding.rule) && finding.path !== undefined && isAtOrBelow(path, finding.path))
    .toSorted((a, b) => (b.path ?? '').length - (a.path ?? '').length)
    .at(0);
  if (above !== undefined) return { finding: above, because: `${path}: ${message}` };
  const crd = findings[0]?.crd ?? '';
  return { finding: { crd, rule, effect, version: label, path, message, waived: false } };
}

function isAtOrBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`);
}

/** A field that is gone is dropped, and one that is required is missing: no more is to be said. */
function saysItself({ rule }: Finding): boolean {
  return rule === 'existingFieldRemoval' || rule === 'required';
}
