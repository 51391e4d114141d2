/**
 * Leaves out the fields that a controller of the cluster fills: Slipway and that controller would overwrite each other for ever, and
 * an operator would be without its rights or its authority meanwhile. Pure; prepare.ts calls it for each object.
 */
import { isAggregated } from '../api/aggregated-role.ts';
import { isCrd } from '../api/crd-kind.ts';
import { isRecord } from '../api/untyped.ts';
import { isInjected } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';

/** The object without the fields that its own content delegates. */
export function withoutDelegated(object: KubeObject): KubeObject {
  if (isAggregated(object)) return { ...without(object, ['rules']), ...identityIn(object) };
  const isFilled = isCrd(object) && isInjected(object.metadata.annotations);
  return isFilled ? { ...without(object, AUTHORITY), ...identityIn(object) } : object;
}

/** Written by cert-manager or OpenShift, if the annotations of a CRD ask for it. */
const AUTHORITY = ['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'];

function identityIn({ apiVersion, kind, metadata }: KubeObject): Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion, kind, metadata };
}

/** The value without the field at the path; the value itself if it has none there. */
function without(value: Readonly<Record<string, unknown>>, [field = '', ...rest]: readonly string[]): object {
  const { [field]: inner, ...others } = value;
  if (rest.length === 0) return others;
  return isRecord(inner) ? { ...others, [field]: without(inner, rest) } : value;
}
