/**
 * Receives every question that the API server asks about a user's rights, those included that it asks while it serves
 * another request: an object that is applied is created, a role is escalated, a user is impersonated. Denies the
 * questions that a test selects, and leaves the others to RBAC. It is in front of RBAC in the API server's order.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What is asked for. @see https://kubernetes.io/docs/reference/access-authn-authz/webhook/ */
export interface Question {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface Authorizer {
  /** For the API server. */
  readonly flags: readonly string[];
  /** `verb group/resource` of all that was asked about the user. */
  readonly asked: ReadonlySet<string>;
  /** From now on denies each question that one of these denies; replaces the former ones. */
  deny(rule: (question: Question) => boolean): void;
  close(): void;
}

/** Starts one that hears about one user; `configFile` is written for the API server. */
export async function startAuthorizer(user: string, configFile: string): Promise<Authorizer> {
  const asked = new Set<string>();
  let isDenied = (_question: Question): boolean => false;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { spec, ...review } = await readReview(request);
    const question = spec.user === user ? spec.resourceAttributes : undefined;
    if (question !== undefined) asked.add(describeQuestion(question));
    const denied = question !== undefined && isDenied(question);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...review, status: { allowed: false, denied } }));
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  writeFileSync(configFile, configFor((server.address() as AddressInfo).port));
  return {
    flags: [
      '--authorization-mode=Webhook,RBAC',
      `--authorization-webhook-config-file=${configFile}`,
      '--authorization-webhook-version=v1',
      '--authorization-webhook-cache-unauthorized-ttl=1s',
    ],
    asked,
    deny: (rule) => void (isDenied = rule),
    close: () => void server.close(),
  };
}

/** `verb group/resource/subresource`. */
export function describeQuestion({ verb, group = '', resource, subresource }: Question): string {
  return `${verb} ${group}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: { readonly user: string; readonly resourceAttributes?: Question };
}

async function readReview(request: IncomingMessage): Promise<Review> {
  return JSON.parse(await text(request)) as Review;
}

function configFor(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'authorizer', cluster: { server: `http://127.0.0.1:${port}/` } }],
    users: [{ name: 'api-server', user: {} }],
    contexts: [{ name: 'webhook', context: { cluster: 'authorizer', user: 'api-server' } }],
    'current-context': 'webhook',
  });
}
