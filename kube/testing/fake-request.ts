/** A request to the fake API server as tests and accounts' rights see it: a verb and an object. Pure. */
import type { DeleteOptions } from '../../api/cluster.ts';
import { groupOf, type ObjectRef } from '../../api/object.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import { unservedTargetOf, type Target } from './fake-paths.ts';
import { REVIEWS, type AccessReview, type ServerRequest } from './fake-server.ts';
import { Refusal } from './refusal.ts';

/** A request for objects that reached the API server. */
export interface FakeRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'apply' | 'patch' | 'delete';
  readonly ref: ObjectRef;
  readonly dryRun: boolean;
  /** Of a deletion. */
  readonly propagation?: DeleteOptions['propagation'];
}

/** Whether an account has a right. */
export type May = (request: Pick<FakeRequest, 'verb' | 'ref'>) => boolean;

/** The request as it arrives at the server. */
export function arrived({ method, path, query = {}, headers = {}, body = '' }: ApiRequest): ServerRequest {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return { method, path, query: new URLSearchParams(parameters), headers, body: String(body) };
}

/** Undefined for discovery and for reviews of rights. */
export function factsOf(
  { method, path, query, headers, body }: ServerRequest,
  served: Target | undefined,
): FakeRequest | undefined {
  const target = served ?? unservedTargetOf(path);
  if (target === undefined || path === REVIEWS) return undefined;
  const { resource, namespace, name } = target;
  const isApply = headers['content-type'] === 'application/apply-patch+yaml';
  const content = method === 'POST' || method === 'DELETE' ? (JSON.parse(body) as Body) : {};
  const named = name ?? content.metadata?.name ?? '*';
  const within = name === undefined && method === 'GET' ? undefined : namespace;
  return {
    verb: name === undefined && method === 'GET' ? 'list' : isApply ? 'apply' : (VERBS[method] ?? 'get'),
    ref: {
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      name: named,
      ...(within !== undefined && { namespace: within }),
    },
    dryRun: query.get('dryRun') === 'All' || content.dryRun !== undefined,
    ...(content.propagationPolicy !== undefined && { propagation: content.propagationPolicy }),
  };
}

interface Body {
  readonly metadata?: { readonly name: string };
  readonly dryRun?: readonly string[];
  readonly propagationPolicy?: NonNullable<DeleteOptions['propagation']>;
}

const VERBS: Readonly<Record<string, FakeRequest['verb']>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The right that a review is about, as a request that would need it. */
export function asked({ verb, group, resource, namespace, name = '*' }: AccessReview): Parameters<May>[0] {
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  const ref = { apiVersion, kind: resource, name, ...(namespace !== undefined && { namespace }) };
  return { verb: verb as FakeRequest['verb'], ref };
}

/** The refusal of RBAC. */
export function forbidden(account: string, { verb, ref }: FakeRequest): Refusal {
  const [resource, group] = [`${ref.kind.toLowerCase()}s`, groupOf(ref.apiVersion)];
  const right = `cannot ${verb} resource "${resource}" in API group "${group}"`;
  return new Refusal(403, 'Forbidden', `${resource} "${ref.name}" is forbidden: User "${account}" ${right}`);
}
