/**
 * Checks a catalog by the rules of its format: every finding names the defect, its place and its cure. `slipway catalog
 * validate` calls it. A cluster does not: it serves everything that can be read, as OLM v1 does.
 */
import { compareText } from '../../api/compare-text.ts';
import type { Fields } from '../../api/untyped.ts';
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
      return findings.sort(
        (a, b) => compareText(a.package ?? '', b.package ?? '') || compareText(a.severity, b.severity),
      );
    },
  };
}
