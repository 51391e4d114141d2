/** Counts the requests of one account in the audit log of the API server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface AuditedRequest {
  readonly verb: string;
  /** `deployments.apps`, with `/status` for a subresource; the path if there is no resource. */
  readonly resource: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly code: number;
  /** Milliseconds since 1970, when the request came. */
  readonly at: number;
  /** When it was answered. */
  readonly until: number;
}

/** A span of wall-clock time in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The requests of a user so far, without the renewals of leases, which go on all the time and are counted apart. A
 * watch is in the log once it has ended: stop the manager first.
 */
export function readAudit(folder: string, user: string): readonly AuditedRequest[] {
  return auditFiles(folder)
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => line.includes(user))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter((event) => event.user.username === user)
    .map(describe);
}

/** The API server begins a new file after each 100 MB, and renames the full one. */
function auditFiles(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.startsWith('audit') && name.endsWith('.jsonl'));
  return names.map((name) => join(folder, name));
}

/** Those within the span. */
export function within(requests: readonly AuditedRequest[], { from, to }: Span): readonly AuditedRequest[] {
  return requests.filter(({ at }) => at >= from && at <= to);
}

export function isLease({ resource }: AuditedRequest): boolean {
  return resource.startsWith('leases.');
}

/** How often each kind of request occurs, the most frequent first: `12 patch deployments.apps`. */
export function tally(requests: readonly AuditedRequest[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { verb, resource, dryRun } of requests) {
    const key = `${verb}${dryRun ? ' (dry run)' : ''} ${resource}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([key, count]) => `${count} ${key}`);
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  /** When the stage of the event began: the event is written once the answer is complete. */
  readonly stageTimestamp: string;
}

function describe({
  verb,
  requestURI,
  objectRef,
  responseStatus,
  requestReceivedTimestamp,
  stageTimestamp,
}: AuditEvent): AuditedRequest {
  const [path = ''] = requestURI.split('?');
  const { resource = path, apiGroup, subresource, name = '' } = objectRef ?? {};
  const group = apiGroup === undefined ? '' : `.${apiGroup}`;
  return {
    verb,
    resource: `${resource}${group}${subresource === undefined ? '' : `/${subresource}`}`,
    name,
    dryRun: requestURI.includes('dryRun='),
    code: responseStatus?.code ?? 0,
    at: parseMicroseconds(requestReceivedTimestamp),
    until: parseMicroseconds(stageTimestamp),
  };
}

/** Milliseconds since 1970 with a fraction: `Date` reads no more than three of the six digits. */
function parseMicroseconds(time: string): number {
  const micros = /\.\d{3}(?<rest>\d{1,3})/.exec(time)?.groups?.['rest'] ?? '0';
  return Date.parse(time) + Number(`0.${micros}`);
}
