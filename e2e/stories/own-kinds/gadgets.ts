/** An operator whose bundle brings Gadgets, of the CRD beside them. */
import { crdNameOf, tinyBundle } from '../../lib/tiny-operator.ts';

export const PACKAGE = 'gadget-operator';
export const CRD = crdNameOf('Gadget');

export interface GadgetRelease {
  readonly version: string;
  /** Sizes of the Gadgets, by name. */
  readonly gadgets: Readonly<Record<string, number>>;
  /** Its CRD has a second version, in which objects are stored and the Gadgets are written. */
  readonly hasV2?: true;
  /** Its Pods crash. */
  readonly isBroken?: true;
}

export const RELEASES: readonly GadgetRelease[] = [
  { version: '1.0.0', gadgets: { first: 1, second: 1 } },
  { version: '1.1.0', gadgets: { first: 2 }, hasV2: true },
  { version: '1.2.0', gadgets: { first: 3 }, hasV2: true, isBroken: true },
];

export function gadgetFiles({ version, gadgets, hasV2, isBroken }: GadgetRelease): ReadonlyMap<string, Uint8Array> {
  const apiVersion = hasV2 === true ? 'tiny.example/v2' : 'tiny.example/v1';
  const further = Object.entries(gadgets).map(([name, size]) => ({ ...gadget(name, { size }), apiVersion }));
  const files = new Map(tinyBundle({ name: PACKAGE, version, kind: 'Gadget', further }));
  if (hasV2 === true) files.set(CRD_FILE, Buffer.from(withV2(Buffer.from(files.get(CRD_FILE) ?? []).toString())));
  if (isBroken === true) files.set(CSV, Buffer.from(withCrash(Buffer.from(files.get(CSV) ?? []).toString())));
  return files;
}

export function gadget(name: string, spec: object, namespace?: string): object {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return { apiVersion: 'tiny.example/v1', kind: 'Gadget', metadata, spec };
}

const CSV = 'manifests/csv.json';
const CRD_FILE = 'manifests/crd.json';

function withV2(crd: string): string {
  const { spec, ...rest } = JSON.parse(crd) as { readonly spec: { readonly versions: readonly object[] } };
  const versions = spec.versions.flatMap((version) => [
    { ...version, storage: false },
    { ...version, name: 'v2' },
  ]);
  return JSON.stringify({ ...rest, spec: { ...spec, versions } });
}

/** Makes the fake node let its Pods crash. */
function withCrash(csv: string): string {
  return csv.replace('"template":{"metadata":{"labels":{', '$&"slipway.dev/test-pod":"crash",');
}
