/** The other objects of the bundle as published, those of namespaced kinds in the namespace of the operator. */
import type { KubeObject } from '../../api/object.ts';
import type { Manifest } from '../bundle.ts';
import { SUPPORTED_KINDS } from './kinds.ts';
import { publishedMetadata } from './metadata.ts';
import type { RenderContext } from './options.ts';

export function renderAdditionalObjects({ bundle, options }: RenderContext): readonly KubeObject[] {
  return bundle.objects.map((manifest) => place(manifest, options.namespace));
}

function place({ object }: Manifest, namespace: string): KubeObject {
  const kind = SUPPORTED_KINDS.get(object.kind);
  if (kind === undefined) throw new Error(`an object of the kind ${object.kind} was not refused`);
  const { apiVersion, metadata, status: _status, ...rest } = object;
  const published = publishedMetadata(metadata);
  return {
    ...rest,
    apiVersion: currentVersion(apiVersion, kind.apiVersion),
    kind: object.kind,
    metadata: kind.namespaced ? { ...published, namespace } : published,
  };
}

/** Objects without apiVersion, and RBAC of the version that is gone and was equal, get the one that is served. */
function currentVersion(apiVersion: string, served: string): string {
  return apiVersion === '' || apiVersion === 'rbac.authorization.k8s.io/v1beta1' ? served : apiVersion;
}
