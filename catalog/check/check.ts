/**
 * Judges a catalog by the rules of its format: every finding says what is wrong, where, and what to do. `slipway
 * catalog validate` calls it; a cluster serves whatever can be read, as OLM v1 does, and never looks at this.
 */
import type { Fields } from '../fields.ts';
import type { DocumentPlace } from '../invalid.ts';
import type { VersionRules } from '../versions.ts';
import { checkBundles } from './bundles.ts';
import { checkChannels } from './channels.ts';
import { checkDeprecations } from './deprecations.ts';
import { collect, newCollection } from './collect.ts';
import type { CatalogFinding } from './finding.ts';
import { checkPackages } from './packages.ts';

export interface CatalogChecker {
  /** Takes a document. Throws ReasonedError `CatalogInvalid` if it has no proper keys. */
  add(document: Fields, place: DocumentPlace): void;
  /** All findings: by package, errors first. */
  finish(): readonly CatalogFinding[];
}

/**
 * A checker for one catalog, whose documents are handed in one by one.
 * @see https://olm.operatorframework.io/docs/reference/file-based-catalogs/
 */
export function createCatalogChecker(rules: VersionRules): CatalogChecker {
  const collected = newCollection();
  return {
    add: (document, place) => collect(collected, document, place),
    finish() {
      const findings = [
        ...checkPackages(collected),
        ...checkChannels(collected, rules),
        ...checkBundles(collected, rules),
        ...checkDeprecations(collected),
      ];
      return findings.sort((a, b) => compare(a.package ?? '', b.package ?? '') || compare(a.severity, b.severity));
    },
  };
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
