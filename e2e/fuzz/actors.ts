/** Carries acts out against the API server, several at a time and at a steady pace, and counts the accepted ones. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type { TestCluster } from '../cluster/cluster.ts';
import type { Act } from './acts.ts';
import { disguised } from './disguise.ts';

/** By kind and act: how many requests the API server took, and how many it refused and why. */
export type Tally = Map<string, { taken: number; refused: number; readonly why: Map<string, number> }>;

export interface Pace {
  /** Chance is drawn from it, so that the same number gives the same acts. */
  readonly seed: number;
  readonly actors: number;
  /** Of all actors together. */
  readonly actsPerSecond: number;
}

/** Acts until `signal` aborts. */
export async function actUntil(
  cluster: TestCluster,
  acts: fc.Arbitrary<Act>,
  { seed, actors, actsPerSecond, tally, signal }: Pace & { readonly tally: Tally; readonly signal: AbortSignal },
): Promise<void> {
  const millisecondsPerAct = (1000 * actors) / actsPerSecond;
  const run = async (actor: number): Promise<void> => {
    for (let at = 0; !signal.aborted; at += 1) {
      const until = performance.now() + millisecondsPerAct;
      await carryOut(cluster, drawOne(acts, seed + actor * 1_000_003 + at * 7919), tally);
      await pause(Math.max(0, until - performance.now()));
    }
  };
  await Promise.all(Array.from({ length: actors }, (_, actor) => run(actor)));
}

/** One value of those that there may be; the same for the same seed. */
export function drawOne<Value>(arbitrary: fc.Arbitrary<Value>, seed: number): Value {
  return fc.sample(arbitrary, { seed, numRuns: 1 })[0] as Value;
}

/** Sends the request of an act; a refusal is an answer like any other, and a silent API server is not judged here. */
export async function carryOut(cluster: TestCluster, act: Act, tally: Tally): Promise<void> {
  const key = `${act.kind} ${act.does}`;
  const counts = tally.get(key) ?? { taken: 0, refused: 0, why: new Map<string, number>() };
  tally.set(key, counts);
  try {
    await send(cluster, act);
    counts.taken += 1;
  } catch (error) {
    counts.refused += 1;
    const why = reasonIn((error as Error).message);
    counts.why.set(why, (counts.why.get(why) ?? 0) + 1);
  }
}

/** The refused field, or the message of the server. */
function reasonIn(message: string): string {
  const said = message.replace(/^.* was answered /s, '');
  return (
    /(?<field>\b(spec|status|metadata)[.\w]*).*?: (?<problem>\w+ \w+)/s.exec(said)?.[0].slice(0, 80) ??
    said.slice(0, 80)
  );
}

async function send(cluster: TestCluster, act: Act): Promise<unknown> {
  const path = `${act.collection}/${act.name}`;
  switch (act.does) {
    case 'put':
      return put(cluster, act, path);
    case 'status':
      return cluster.request('PATCH', `${path}/status`, { status: act.status });
    case 'touch':
      return cluster.request('PATCH', path, { metadata: act.metadata });
    case 'delete':
      return cluster.request('DELETE', path);
  }
}

/** Creates it, or changes the existing object as far as it may be changed. */
async function put(cluster: TestCluster, act: Act & { readonly does: 'put' }, path: string): Promise<unknown> {
  const body = await disguised(cluster, act);
  try {
    return await cluster.request('POST', act.collection, body);
  } catch (error) {
    if (!/ was answered 409: /.test((error as Error).message)) throw error;
  }
  const { apiVersion: _, kind: __, metadata: ___, ...content } = body;
  const spec = content['spec'] as Readonly<Record<string, unknown>> | undefined;
  const changeable =
    act.kind === 'Revision' ? { spec: { state: spec?.['state'], approved: spec?.['approved'] } } : content;
  return cluster.request('PATCH', path, withoutPackage(changeable));
}

/** A Subscription's package is there for good. */
function withoutPackage(content: Readonly<Record<string, unknown>>): object {
  const { package: _, ...spec } = (content['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  return 'spec' in content ? { ...content, spec } : content;
}
