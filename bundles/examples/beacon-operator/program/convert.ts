/**
 * A Beacon of one version of the API as one of the other. Pure; the API server asks for it through the conversion
 * webhook on every read and write that is not in the version that is stored, so there and back must lose nothing.
 */
import type { KubeObject } from '../../../../api/object.ts';
import { BeaconSpecV1, BeaconSpecV2, PATTERN_ANNOTATION, patternOf, V1, V2 } from './beacon.ts';

/**
 * The object in the version asked for; the same object where it is in that version.
 * @throws Error where the version or the spec is none that the CRD admits: the API server shows the text.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 */
export function convertBeacon(beacon: KubeObject, apiVersion: string): KubeObject {
  if (beacon.apiVersion === apiVersion) return beacon;
  if (beacon.apiVersion === V1 && apiVersion === V2) return toV2(beacon);
  if (beacon.apiVersion === V2 && apiVersion === V1) return toV1(beacon);
  throw new Error(`a Beacon of ${beacon.apiVersion} cannot become one of ${apiVersion}`);
}

function toV2(beacon: KubeObject): KubeObject {
  const { colour, intensity } = BeaconSpecV1.parse(beacon['spec']);
  const { [PATTERN_ANNOTATION]: annotation, ...annotations } = beacon.metadata.annotations ?? {};
  const pattern = patternOf(annotation);
  const spec: BeaconSpecV2 = {
    light: { colour, ...(intensity !== undefined && { brightness: intensity }) },
    ...(pattern !== undefined && { pattern }),
  };
  const kept = annotation === undefined || pattern === undefined ? beacon.metadata.annotations : annotations;
  return { ...beacon, apiVersion: V2, metadata: withAnnotations(beacon.metadata, kept), spec };
}

function toV1(beacon: KubeObject): KubeObject {
  const { light, pattern } = BeaconSpecV2.parse(beacon['spec']);
  const spec: BeaconSpecV1 = {
    colour: light.colour,
    ...(light.brightness !== undefined && { intensity: light.brightness }),
  };
  const { annotations } = beacon.metadata;
  const kept = pattern === undefined ? annotations : { ...annotations, [PATTERN_ANNOTATION]: pattern };
  return { ...beacon, apiVersion: V1, metadata: withAnnotations(beacon.metadata, kept), spec };
}

/** An object without annotations has no field for them, as the API server has it. */
function withAnnotations(
  metadata: KubeObject['metadata'],
  annotations: Readonly<Record<string, string>> = {},
): KubeObject['metadata'] {
  const rest = Object.entries(metadata).filter(([field]) => field !== 'annotations');
  const kept = Object.keys(annotations).length === 0 ? {} : { annotations };
  return { ...Object.fromEntries(rest), ...kept } as KubeObject['metadata'];
}
