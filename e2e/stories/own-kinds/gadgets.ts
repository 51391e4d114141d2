/** An operator whose bundle brings Gadgets, of the CRD beside them. */
import { crdNameOf, tinyBundle } from '../../lib/tiny-operator.ts';

export const PACKAGE = 'gadget-operator';
export const CRD = crdNameOf('Gadget');

export interface GadgetRelease {
  readonly version: string;
  /** Sizes of the Gadgets, by name. */
  readonly gadgets: Readonly<Record<string, number>>;
  /** Its Pods crash. */
  readonly isBroken?: true;
}

export const RELEASES: readonly GadgetRelease[] = [
  { version: '1.0.0', gadgets: { first: 1, second: 1 } },
  { version: '1.1.0', gadgets: { first: 2 } },
  { version: '1.2.0', gadgets: { first: 3 }, isBroken: true },
];

export function gadgetFiles({ version, gadgets, isBroken }: GadgetRelease): ReadonlyMap<string, Uint8Array> {
  const further = Object.entries(gadgets).map(([name, size]) => gadget(name, { size }));
  const files = new Map(tinyBundle({ name: PACKAGE, version, kind: 'Gadget', further }));
  if (isBroken === true) files.set(CSV, Buffer.from(withCrash(Buffer.from(files.get(CSV) ?? []).toString())));
  return files;
}

export function gadget(name: string, spec: object, namespace?: string): object {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return { apiVersion: 'tiny.example/v1', kind: 'Gadget', metadata, spec };
}

const CSV = 'manifests/csv.json';

/** Makes the fake node let its Pods crash. */
function withCrash(csv: string): string {
  return csv.replace('"template":{"metadata":{"labels":{', '$&"slipway.dev/test-pod":"crash",');
}
