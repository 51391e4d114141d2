/** Leaves out findings that repeat another finding about the same place. Pure. */
import type { BundleFinding } from '../../../bundles/validate/validate.ts';

/** A check, by name, and the check whose finding about the same field says the same with more consequence. */
const REPEATS: Readonly<Record<string, string>> = {
  // A CRD of v1beta1 cannot be installed at all; that its API is removed is the same fact as a warning.
  'removed-apis': 'crd-api-version',
};

/** Each fact once: neither the same words about the same place, nor a check that another one covers there. */
export function withoutRepeats(findings: readonly BundleFinding[]): readonly BundleFinding[] {
  const places = new Set(findings.map((finding) => placeOf(finding, finding.check)));
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const covering = REPEATS[finding.check];
    if (covering !== undefined && places.has(placeOf(finding, covering))) return false;
    const words = placeOf(finding, `${finding.level}: ${finding.message}`);
    return seen.size !== seen.add(words).size;
  });
}

function placeOf({ file = '', object = '', path = '' }: BundleFinding, last: string): string {
  return [file, object, path, last].join('\0');
}
