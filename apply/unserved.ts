/**
 * Finds the version in which an object of an inventory can be removed: the API server may have dropped the version in
 * which it was applied, and serves the same object in another one. Called by remove.ts.
 */
import { describeRef, groupKind, groupOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import type { Cluster } from '../api/cluster.ts';
import { fieldsOf } from '../api/untyped.ts';
import type { Failure } from './api-failure.ts';
import { CRD } from '../api/crd-kind.ts';
import { NAMES_ONLY, resourceOf } from './custom-resources.ts';
import { phaseOf } from './phases.ts';

export type ServedObject =
  /** The object in a version that is served, with the path that its CRD defines. */
  | { readonly kind: 'served'; readonly ref: ObjectRef }
  /** Its kind is gone, and its objects with it. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** One request or none if the version is served. Throws errors of the client. */
export async function findServed(cluster: Cluster, ref: ObjectRef, signal: AbortSignal): Promise<ServedObject> {
  if ((await cluster.isNamespaced(ref, signal)) !== undefined) return { kind: 'served', ref };
  if (isBuiltIn(ref)) return (await inOtherVersion(cluster, ref, signal)) ?? unserved(ref, 'the API server');
  const crd = await findCrd(cluster, ref, signal);
  if (crd !== undefined) return inVersionOf(crd, ref) ?? unserved(ref, `the CRD ${crd.metadata.name}`);
  const service = await findApiService(cluster, ref, signal);
  return service === undefined ? { kind: 'gone' } : unserved(ref, `the APIService ${service.metadata.name}`);
}

/** Kubernetes serves each of its kinds in one of these at least before it drops a beta version. */
const STABLE = ['v1', 'v2'] as const;

async function inOtherVersion(
  cluster: Cluster,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<ServedObject | undefined> {
  const group = groupOf(ref.apiVersion);
  if (group === '') return undefined;
  for (const version of STABLE) {
    const other = { ...ref, apiVersion: `${group}/${version}` };
    if ((await cluster.isNamespaced(other, signal)) !== undefined) return { kind: 'served', ref: other };
  }
  return undefined;
}

function inVersionOf(crd: KubeObject, ref: ObjectRef): ServedObject | undefined {
  const defined = resourceOf(crd);
  // Discovery may lag behind a CRD that does serve the version.
  return defined === undefined || defined.apiVersion === ref.apiVersion
    ? undefined
    : { kind: 'served', ref: { ...ref, apiVersion: defined.apiVersion, served: defined.served } };
}

function unserved(ref: ObjectRef, provider: string): ServedObject {
  return {
    kind: 'failed',
    failure: {
      reason: 'ApiUnavailable',
      retry: 'backoff',
      message: `${describeRef(ref)}: ${groupKind(ref)} is not served at the moment, although ${provider} provides it`,
      hint: 'It is removed once its kind is served again',
    },
  };
}

/**
 * Whether a kind is in a group that the API server itself serves; other groups with this suffix are CRDs and aggregated
 * APIs. For built-in groups the API server's answer that a kind does not exist is final, and nothing was ever applied
 * in an invalid version.
 */
function isBuiltIn(ref: ObjectRef): boolean {
  if (!/^(v1|[^/]+\/v\d+((alpha|beta)\d+)?)$/.test(ref.apiVersion)) return false;
  const group = groupOf(ref.apiVersion);
  if (phaseOf(ref) === 'customResources') return false;
  return (
    !group.includes('.') ||
    /^(admissionregistration|apiextensions|apiregistration|networking|rbac\.authorization|scheduling|storage)\.k8s\.io$/.test(
      group,
    )
  );
}

/** A cluster may have thousands of CRDs, and each may have a megabyte: only those of the group are read. */
async function findCrd(cluster: Cluster, ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> {
  const group = groupOf(ref.apiVersion);
  const all = await cluster.list(CRD, NAMES_ONLY, signal);
  for (const { metadata } of all.filter((crd) => groupIn(crd.metadata.name) === group)) {
    const crd = await cluster.get({ ...CRD, name: metadata.name }, signal);
    if (fieldsOf(fieldsOf(crd?.['spec'])['names'])['kind'] === ref.kind) return crd;
  }
  return undefined;
}

/** The API server requires that a CRD is named `<plural>.<group>`. */
function groupIn(crdName: string): string {
  return crdName.slice(crdName.indexOf('.') + 1);
}

/** The aggregated API that serves a group. */
async function findApiService(cluster: Cluster, ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> {
  const group = groupOf(ref.apiVersion);
  const services = await cluster.list(API_SERVICE_KIND, undefined, signal);
  return services.find((candidate) => {
    const spec = candidate['spec'] as { group?: string; service?: unknown } | undefined;
    return spec?.group === group && spec.service !== undefined && spec.service !== null;
  });
}

const API_SERVICE_KIND = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' } as const;
