/**
 * The requests of one operation as a chain: which of them waited for which. The audit log does not say that, but a
 * request that begins after another one has ended could have begun earlier only if it needed that one, or something that
 * the manager computed after it. The length of the longest chain is the same on a busy machine as on a quiet one,
 * unlike the time. Pure.
 */
import type { AuditedRequest, Span } from './audit-log.ts';

export interface Link {
  readonly request: AuditedRequest;
  /** The index of the request that ended last before this one began; absent if none did. */
  readonly after?: number;
  /** How many requests, one after the other, it takes to come here, this one included. */
  readonly depth: number;
}

/** The chain of the requests in the order of their beginning. Watches and events are on no one's way, and are left out. */
export function chainOf(requests: readonly AuditedRequest[]): readonly Link[] {
  const ordered = requests.filter(isAwaited).toSorted((a, b) => a.at - b.at);
  const links: Link[] = [];
  for (const request of ordered) {
    const after = lastEndedBefore(ordered, request);
    const before = after === undefined ? undefined : links[after];
    links.push({ request, ...(after !== undefined && { after }), depth: 1 + (before?.depth ?? 0) });
  }
  return links;
}

function isAwaited({ verb, resource }: AuditedRequest): boolean {
  return verb !== 'watch' && !resource.startsWith('events.');
}

function lastEndedBefore(ordered: readonly AuditedRequest[], { at }: AuditedRequest): number | undefined {
  let last: number | undefined;
  for (const [index, { until }] of ordered.entries()) {
    if (until > at) continue;
    if (last === undefined || until > (ordered[last] as AuditedRequest).until) last = index;
  }
  return last;
}

/** The most requests that wait for each other. */
export function lengthOf(links: readonly Link[]): number {
  return Math.max(0, ...links.map(({ depth }) => depth));
}

/** The chain as text, a line a request: when it began and ended within the span, and the request it came after. */
export function formatChain(title: string, links: readonly Link[], { from, to }: Span): string {
  const lines = links.map(({ request, after, depth }, index) => {
    const time = `${(request.at - from).toFixed(1).padStart(8)} ${(request.until - from).toFixed(1).padStart(8)} ms`;
    const place = `${String(index + 1).padStart(4)} ${after === undefined ? '    –' : `<${after + 1}`.padStart(5)}`;
    const dry = request.dryRun ? ' (dry run)' : '';
    return `${place} ${String(depth).padStart(3)} ${time}  ${request.code} ${request.verb}${dry} ${request.resource} ${request.name}`;
  });
  const head = `${title}: ${links.length} requests, ${lengthOf(links)} one after the other, ${(to - from).toFixed(0)} ms`;
  return [head, ...lines].join('\n');
}
