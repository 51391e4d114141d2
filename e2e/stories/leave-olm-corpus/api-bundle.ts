/** The operator of the webhook stories with an aggregated API besides: no package of the corpus serves one. */
import { parseBundle } from '../../../bundles/parse.ts';
import { gadgetBundle, GROUP } from '../webhooks/gadget-operator.ts';
import type { OlmBundle } from '../../lib/olm-catalog.ts';

const VERSION = '1.0.0';
const CSV = 'manifests/csv.json';

export interface LoadedBundle extends OlmBundle {
  /** Name of the ClusterServiceVersion. */
  readonly name: string;
}

interface ClusterServiceVersion {
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const SAMPLE = { apiVersion: `${GROUP}/v1`, kind: 'Gadget', metadata: { name: 'sample' }, spec: { size: 1 } };

export function apiBundle(): LoadedBundle {
  const made = gadgetBundle({ version: VERSION });
  const { metadata, spec, ...rest } = JSON.parse(Buffer.from(made.get(CSV) ?? []).toString()) as ClusterServiceVersion;
  const owned = {
    group: `readings.${GROUP}`,
    version: 'v1alpha1',
    kind: 'Reading',
    name: 'readings',
    displayName: 'Reading',
    deploymentName: 'gadget-manager',
    containerPort: 5443,
  };
  const csv = {
    ...rest,
    metadata: { ...metadata, annotations: { 'alm-examples': JSON.stringify([SAMPLE]) } },
    spec: { ...spec, apiservicedefinitions: { owned: [owned] } },
  };
  const files = new Map([...made, [CSV, Buffer.from(JSON.stringify(csv))]]);
  return { name: parseBundle(files).csv.name, version: VERSION, files };
}
