/** Requests of others than the administrator of a test cluster, and which of the API server's guards refused them. */
import { ApiError } from '../../../api/api-error.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import type { ApiRequest } from '../../../kube/transport/api-request.ts';
import { createTransport, type RootTransport } from '../../../kube/transport/transport.ts';
import type { TestCluster } from '../../cluster/cluster.ts';

/** A user with his groups; a ServiceAccount has those of its kind by itself. */
export interface Person {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** What is sent: a method, a path, and a body of a type. */
export interface Act {
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** `RBAC` and `policy` have refused it as forbidden; `invalid` is refused by the schema. */
export type Outcome = 'accepted' | 'RBAC' | 'policy' | 'invalid';

export interface Answer {
  readonly outcome: Outcome;
  /** Of the API server; empty if it accepted. */
  readonly message: string;
}

export interface Persons extends AsyncDisposable {
  /** Sends a request as a person, which is stored. Throws an answer that is neither accepted nor refused. */
  send(person: Person, act: Act): Promise<Answer>;
  /** The same, and nothing is stored. */
  rehearse(person: Person, act: Act): Promise<Answer>;
}

/** Opens connections with all rights, which impersonate the person that each request names. */
export async function openPersons(cluster: TestCluster): Promise<Persons> {
  const transport = createTransport((await loadKubeconfig(cluster.kubeconfig)).config);
  return {
    send: (person, act) => attempt(transport, person, act),
    rehearse: (person, act) => attempt(transport, person, { ...act, query: { ...act.query, dryRun: 'All' } }),
    [Symbol.asyncDispose]: () => Promise.resolve(transport.close()),
  };
}

const WRITES: ReadonlySet<Act['method']> = new Set(['POST', 'PUT', 'PATCH']);

async function attempt(transport: RootTransport, person: Person, act: Act): Promise<Answer> {
  const { method, path, type = 'application/json' } = act;
  // The connection is the manager's kind, whose name the API server would take for the writer's.
  const query = { ...(WRITES.has(method) && { fieldManager: 'person' }), ...act.query };
  const body = act.method === 'PUT' ? await versioned(transport, act) : act.body;
  const headers = { 'content-type': type, 'impersonate-user': person.user, 'impersonate-group': person.groups ?? [] };
  try {
    await transport.request({ method, path, headers, query, ...(body && { body: JSON.stringify(body) }) });
    return { outcome: 'accepted', message: '' };
  } catch (error) {
    return { outcome: outcomeOf(error), message: (error as Error).message };
  }
}

/** As `kubectl replace` does, of the version that is there. */
async function versioned(transport: RootTransport, { path, body }: Act): Promise<object> {
  const there = JSON.parse((await transport.request({ method: 'GET', path })).text()) as Versioned;
  const { resourceVersion } = there.metadata;
  return { ...body, metadata: { ...(body as Versioned).metadata, resourceVersion } };
}

interface Versioned {
  readonly metadata: { readonly resourceVersion: string };
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof ApiError)) throw error;
  if (error.statusReason === 'Invalid') return 'invalid';
  if (error.statusReason !== 'Forbidden') throw error;
  return error.message.includes("ValidatingAdmissionPolicy 'slipway-accounts'") ? 'policy' : 'RBAC';
}
