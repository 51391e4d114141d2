/** The other objects of the bundle as published, those of namespaced kinds in the namespace of the operator. */
import { groupKind, type KubeObject } from '../../api/object.ts';
import type { Manifest } from '../bundle.ts';
import { ownKinds, supportedKind, type OwnKind } from './kinds.ts';
import { publishedMetadata } from './metadata.ts';
import type { RenderContext } from './options.ts';

export function renderAdditionalObjects({ bundle, options }: RenderContext): readonly KubeObject[] {
  const own = ownKinds(bundle.crds);
  return bundle.objects.map(({ object }) => {
    const kind = own.get(groupKind(object));
    return supportedKind(object) === undefined && kind !== undefined
      ? placeOwn(object, kind, options.namespace)
      : place(object, options.namespace);
  });
}

type Published = Manifest['object'];

/** A custom resource of a kind that the bundle brings: its CRD states its scope. */
function placeOwn({ metadata, status: _status, ...rest }: Published, own: OwnKind, namespace: string): KubeObject {
  const { namespace: _elsewhere, ...published } = publishedMetadata(metadata);
  return { ...rest, metadata: own.namespaced ? { ...published, namespace } : published };
}

function place(object: Published, namespace: string): KubeObject {
  const kind = supportedKind(object);
  if (kind === undefined) throw new Error(`an object of the kind ${groupKind(object)} was not refused`);
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
