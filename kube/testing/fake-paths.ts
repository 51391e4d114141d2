/** Finds out which objects the path of a request is about. Pure. */
import type { Resource } from '../client/resource-path.ts';
import { resource as kindOf } from './fake-kinds.ts';

/** The meaning of a path. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

const PATH =
  /^\/(?:api|apis)\/(?<apiVersion>(?:[^/]+\/)??v[^/]+)(?:\/namespaces\/(?<namespace>[^/]+)(?=\/.))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<subresource>[^/]+))?/;

/** The meaning of a path whether its kind is served or not, with a guess at the kind's name. */
export function unservedTargetOf(path: string): Target | undefined {
  const { apiVersion, namespace, plural, name, subresource } = PATH.exec(path)?.groups ?? {};
  if (apiVersion === undefined || plural === undefined) return undefined;
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1).replace(/s$/, '')}`;
  const resource = kindOf(apiVersion, kind, plural, namespace !== undefined);
  return { resource, namespace: decoded(namespace), name: decoded(name), subresource };
}

function decoded(text: string | undefined): string | undefined {
  return text === undefined ? undefined : decodeURIComponent(text);
}
