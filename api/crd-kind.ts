/** The kind of CustomResourceDefinitions, which most folders treat apart from all others. */
import { groupOf, type Kind } from './object.ts';

export const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

/** Whether it is a CRD, of any version: an object, a reference, or an entry of an inventory. */
export function isCrd({ apiVersion, kind }: Kind): boolean {
  return kind === CRD.kind && groupOf(apiVersion) === groupOf(CRD.apiVersion);
}

/** Whether it is a CRD of the only version that API servers still accept: others store their schemas elsewhere. */
export function isCrdV1({ apiVersion, kind }: Kind): boolean {
  return kind === CRD.kind && apiVersion === CRD.apiVersion;
}
