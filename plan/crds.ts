/** Judges the CRDs of a change: their versions, the rules of the CRD safety check that speak, and the stored versions. Pure. */
import { compareText } from '../api/compare-text.ts';
import { compareCrds, type CrdVerdict, type Waiver } from '../apply/crd-safety/compare.ts';
import { readCrd, type Crd } from '../apply/crd-safety/schema.ts';
import { isCrdV1 } from '../api/crd-kind.ts';
import { fieldsOf } from '../api/untyped.ts';
import type { KubeObject } from '../api/object.ts';
import type { PlanClusterFacts, PlanInput } from './input.ts';
import { NOT_KNOWN, type CrdChange } from './model.ts';
import type { ComparedObjects, ObjectPair } from './objects.ts';

/** Every CRD that is created, changed or deleted, by name. */
export function planCrds(
  { created, changed, deleted }: ComparedObjects,
  { facts = {}, waivers = [], crdEnforcement }: Pick<PlanInput, 'facts' | 'waivers' | 'crdEnforcement'>,
): readonly CrdChange[] {
  const isWaived = crdEnforcement === 'None';
  const all = [
    ...created.filter(isCrdV1).map((crd) => describe('created', undefined, readCrd(crd), facts)),
    ...changed
      .filter(({ after }) => isCrdV1(after))
      .map((pair) => ({
        ...describe('changed', readCrd(pair.before), readCrd(pair.after), facts),
        findings: findingsOf(pair, facts, waivers).map((one) => (isWaived ? { ...one, waived: true } : one)),
      })),
    ...deleted.filter(isCrdV1).map((crd) => describe('deleted', readCrd(crd), undefined, facts)),
  ];
  return all.toSorted((a, b) => compareText(a.crd, b.crd));
}

function describe(
  change: CrdChange['change'],
  before: Crd | undefined,
  after: Crd | undefined,
  { customResources, storedVersions }: PlanClusterFacts,
): CrdChange {
  const crd = (after ?? before)?.name ?? '';
  const [old, next] = [before?.versions ?? [], after?.versions ?? []];
  const [from, to] = [old, next].map((versions) => versions.find(({ storage }) => storage)?.name);
  return {
    crd,
    change,
    versionsAdded: missingIn(old, next),
    versionsRemoved: missingIn(next, old),
    ...(from !== undefined && to !== undefined && from !== to && { storage: { from, to } }),
    storedVersions: storedVersions?.get(crd) ?? (change === 'created' ? [] : NOT_KNOWN),
    customResources: customResources?.get(crd) ?? (change === 'created' ? 0 : NOT_KNOWN),
    findings: [],
  };
}

function missingIn(known: Crd['versions'], versions: Crd['versions']): readonly string[] {
  const names = new Set(known.map(({ name }) => name));
  return versions.map(({ name }) => name).filter((name) => !names.has(name));
}

function findingsOf(pair: ObjectPair, facts: PlanClusterFacts, waivers: readonly Waiver[]): CrdVerdict['findings'] {
  const { name } = pair.after.metadata;
  const verdict = facts.verdicts?.get(name) ?? compareCrds(withStored(pair.before, facts), pair.after, waivers);
  return verdict.findings.filter(({ effect }) => effect !== 'none');
}

/** The installed CRD with the versions in which the cluster stores objects; by its manifest alone it is the storage version. */
function withStored(crd: KubeObject, { storedVersions }: PlanClusterFacts): KubeObject {
  const stored = storedVersions?.get(crd.metadata.name);
  return stored === undefined ? crd : { ...crd, status: { ...fieldsOf(crd['status']), storedVersions: stored } };
}
