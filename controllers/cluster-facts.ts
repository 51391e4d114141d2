/**
 * What is known of the cluster itself: the API server's version and the kinds that it serves. Asked for when a
 * decision needs it, and kept for a while: an idle manager asks nothing.
 */
import type { Client } from '../kube/client/client.ts';
import type { GroupVersionKind } from '../catalog/model.ts';
import type { ClusterFacts } from '../resolver/input.ts';

/** What bundles can ask of a cluster, whoever installed what there is. */
export type ServerFacts = Pick<ClusterFacts, 'kubernetesVersion' | 'openShiftVersion' | 'providedKinds'>;

/** Who asks for a fresh answer gets one that is no older than this. */
const FRESH_SECONDS = 10;

/** Answers at most so many seconds old are good enough: servers are upgraded rarely. */
const KEEP_SECONDS = 300;

const OPENSHIFT = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', name: 'version' };

export interface ServerFactsSource {
  /** The facts; `afresh` where something was missing and may have come. Throws what a client throws. */
  get(signal: AbortSignal, options?: { readonly afresh?: boolean }): Promise<ServerFacts>;
}

/**
 * A source over a client; concurrent questions share one answer. One that is old is good enough while it is asked
 * anew: an API server that takes its time holds up none but the first questions, and those where something is missing.
 */
export function createServerFacts(client: Client, now: () => Date): ServerFactsSource {
  let known: { readonly facts: ServerFacts; readonly at: number } | undefined;
  let asked: { readonly facts: Promise<ServerFacts>; readonly at: number } | undefined;
  const ageOf = (one: { readonly at: number } | undefined): number =>
    one === undefined ? Infinity : (now().getTime() - one.at) / 1000;

  async function ask(signal: AbortSignal): Promise<ServerFacts> {
    const at = now().getTime();
    const facts = fetchServerFacts(client, signal);
    asked = { facts, at };
    try {
      known = { facts: await facts, at };
      return known.facts;
    } finally {
      if (asked?.facts === facts) asked = undefined;
    }
  }

  return {
    async get(signal, { afresh = false } = {}) {
      const seconds = afresh ? FRESH_SECONDS : KEEP_SECONDS;
      if (known !== undefined && ageOf(known) < seconds) return known.facts;
      if (asked !== undefined && ageOf(asked) < seconds)
        return known !== undefined && !afresh ? known.facts : asked.facts;
      if (afresh) client.discovery.invalidate();
      const answer = ask(signal);
      if (afresh || known === undefined) return answer;
      answer.catch(() => undefined);
      return known.facts;
    },
  };
}

async function fetchServerFacts(client: Client, signal: AbortSignal): Promise<ServerFacts> {
  const [version, resources] = await Promise.all([client.raw('/version', signal), client.discovery.list(signal)]);
  const kubernetesVersion = parseServerVersion(version);
  const isOpenShift = resources.some(
    ({ apiVersion, kind }) => apiVersion === OPENSHIFT.apiVersion && kind === OPENSHIFT.kind,
  );
  const openShiftVersion = isOpenShift ? parseOpenShiftVersion(await client.get(OPENSHIFT, signal)) : undefined;
  return {
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    ...(openShiftVersion !== undefined && { openShiftVersion }),
    providedKinds: resources.map(kindOf),
  };
}

/** `1.34.1` of `{"gitVersion":"v1.34.1+k3s1"}`; undefined where the answer has none. */
export function parseServerVersion(body: string): string | undefined {
  return /"gitVersion":\s*"v?(?<version>\d+\.\d+\.\d+)/.exec(body)?.groups?.['version'];
}

/** The version that a cluster of OpenShift has reached. */
function parseOpenShiftVersion(object: object | undefined): string | undefined {
  const { status } = (object ?? {}) as { readonly status?: { readonly desired?: { readonly version?: unknown } } };
  const version = status?.desired?.version;
  return typeof version === 'string' ? version : undefined;
}

function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group: group ?? '', version: version ?? '', kind };
}
