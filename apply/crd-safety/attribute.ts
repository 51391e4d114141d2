/** Finds the schema finding that predicted a harm to an object. Pure. */
import type { CrdFinding } from './compare.ts';
import type { Harm } from './hurt.ts';

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
 * The finding of the same rule at the same node; else the nearest opening one above it; else a new one, so that every
 * harm is reported. `findings` are those of one comparison.
 */
export function attribute(harm: Harm, label: string, findings: readonly CrdFinding[]): Attributed {
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

/** Findings that need no explanation: a removed field is dropped, a required field is missing. */
function saysItself({ rule }: CrdFinding): boolean {
  return rule === 'existingFieldRemoval' || rule === 'required';
}
