import { fieldsOf } from '../../api/untyped.ts';
import type { Bundle, Manifest } from '../bundle.ts';
import { at, duplicates, inCsv, asText, type Check, type FoundBy } from './check.ts';

/** The CRDs that the CSV owns and those in the bundle are the same, version by version. */
export const ownedCrdVersions: Check = {
  name: 'owned-crd-versions',
  suite: 'format',
  *run(bundle) {
    const present = bundle.crds.flatMap(versionsOf);
    for (const key of duplicates(present.map((version) => version.key))) {
      const last = present.findLast((version) => version.key === key);
      if (last === undefined) continue;
      const message = `the bundle holds the CRD ${key} twice`;
      yield { level: 'error', ...at(last.manifest), message, advice: 'Keep one of them' };
    }
    yield* compare(bundle, present);
  },
};

interface Version {
  /** `example.com/v1 Gadget` */
  readonly key: string;
  /** `example.com Gadget` */
  readonly kind: string;
  readonly manifest: Manifest;
}

function versionsOf(manifest: Manifest): readonly Version[] {
  const spec = fieldsOf(manifest.object['spec']);
  const { versions, version } = spec;
  const names = Array.isArray(versions) ? versions.map((one) => fieldsOf(one)['name']) : [version];
  const group = asText(spec['group']).slice(0, MAX_NAME);
  const kind = asText(fieldsOf(spec['names'])['kind']).slice(0, MAX_NAME);
  return names.map((name) => ({ key: `${group}/${asText(name)} ${kind}`, kind: `${group} ${kind}`, manifest }));
}

/** Longer than any valid name: each of the versions repeats them. */
const MAX_NAME = 300;

function* compare(bundle: Bundle, present: readonly Version[]): Iterable<FoundBy> {
  const owned = new Set<string>();
  const keys = new Set(present.map((version) => version.key));
  for (const [index, { name, version, kind }] of (bundle.csv.spec.customresourcedefinitions.owned ?? []).entries()) {
    const group = name.slice(name.indexOf('.') + 1);
    const key = `${group}/${version} ${kind}`;
    if (keys.has(key)) {
      owned.add(`${group} ${kind}`);
      continue;
    }
    const message = `the bundle does not hold the CRD ${key} that the CSV owns`;
    const advice = 'Add that version to the CRD, or correct version and kind in the CSV';
    yield { level: 'error', ...inCsv(bundle, `spec.customresourcedefinitions.owned[${index}]`), message, advice };
  }
  for (const { key, kind, manifest } of present) {
    if (owned.has(kind)) continue;
    const message = `the CSV does not own the CRD ${key} that the bundle holds`;
    yield {
      level: 'error',
      ...at(manifest),
      message,
      advice: 'Add it to spec.customresourcedefinitions.owned of the CSV',
    };
  }
}
