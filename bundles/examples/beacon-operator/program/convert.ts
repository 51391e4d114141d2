/**
 * Converts a Beacon between the versions of its API. Pure; the API server calls it through the conversion webhook on
 * every read and write in another version than the stored one, so a round trip must lose nothing. It also converts
 * incomplete objects: in a server-side apply in another version, the API server removes unowned fields before the
 * conversion.
 */
import type { KubeObject } from '../../../../api/object.ts';
import { PATTERN_ANNOTATION, patternOf, SomeOfV1, SomeOfV2, V1, V2 } from './beacon.ts';

/**
 * The object in the requested version; the same object if it is in that version.
 * @throws Error if the version or a field is none that the CRD admits: the API server shows the text.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 */
export function convertBeacon(beacon: KubeObject, apiVersion: string): KubeObject {
  if (beacon.apiVersion === apiVersion) return beacon;
  if (beacon.apiVersion === V1 && apiVersion === V2) return toV2(beacon);
  if (beacon.apiVersion === V2 && apiVersion === V1) return toV1(beacon);
  throw new Error(`a Beacon of ${beacon.apiVersion} cannot become one of ${apiVersion}`);
}

function toV2(beacon: KubeObject): KubeObject {
  const shine = SomeOfV1.optional().parse(beacon['spec']);
  const { [PATTERN_ANNOTATION]: annotation, ...others } = annotationsOf(beacon);
  const pattern = patternOf(annotation);
  const light = shine && lightOf(shine);
  const spec = { ...(light !== undefined && { light }), ...(pattern !== undefined && { pattern }) };
  const annotations = pattern === undefined ? annotationsOf(beacon) : others;
  return withParts(beacon, { apiVersion: V2, annotations, spec: isEmpty(spec) ? undefined : spec });
}

function toV1(beacon: KubeObject): KubeObject {
  const { light, pattern } = SomeOfV2.optional().parse(beacon['spec']) ?? {};
  const kept = pattern === undefined ? {} : { [PATTERN_ANNOTATION]: pattern };
  const spec = light && shineOf(light);
  return withParts(beacon, { apiVersion: V1, annotations: { ...annotationsOf(beacon), ...kept }, spec });
}

type Annotations = Readonly<Record<string, string>>;

/** If annotations have no owner any more, the API server writes `null`. */
function annotationsOf({ metadata }: KubeObject): Annotations {
  return metadata.annotations ?? {};
}

type Light = NonNullable<SomeOfV2['light']>;

function lightOf({ intensity, ...others }: SomeOfV1): Light {
  return { ...others, ...(intensity !== undefined && { brightness: intensity }) };
}

function shineOf({ brightness, ...others }: Light): SomeOfV1 {
  return { ...others, ...(brightness !== undefined && { intensity: brightness }) };
}

interface Parts {
  readonly apiVersion: string;
  readonly annotations: Annotations;
  readonly spec: object | undefined;
}

/** Drops empty fields, as the API server does. */
function withParts(beacon: KubeObject, { apiVersion, annotations, spec }: Parts): KubeObject {
  const { annotations: _annotations, ...others } = beacon.metadata;
  const { spec: _spec, ...rest } = beacon;
  const metadata = { ...others, ...(!isEmpty(annotations) && { annotations }) };
  return { ...rest, apiVersion, metadata, ...(spec !== undefined && { spec }) };
}

function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}
