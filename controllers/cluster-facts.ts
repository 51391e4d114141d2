/**
 * Facts about the cluster itself: the API server's version and the kinds that it serves. Fetched when a decision needs
 * them, and kept for a while: an idle manager sends no request.
 */
import type { Client } from '../kube/client/client.ts';
import type { GroupVersionKind } from '../catalog/model.ts';
import type { ClusterFacts } from '../resolver/input.ts';

/** The facts that a bundle can require of a cluster, no matter who installed its parts. */
export type ServerFacts = Pick<ClusterFacts, 'kubernetesVersion' | 'openShiftVersion' | 'providedKinds'>;

/** A caller that asks for a fresh answer gets one that is no older than this. */
const FRESH_SECONDS = 10;

/** Answers of at most this age are good enough: servers are upgraded rarely. */
const KEEP_SECONDS = 300;

const OPENSHIFT = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', name: 'version' };

/**
 * As OpenShift serves it. On any other cluster a tenant who may create CRDs could define the kind in another way, and the object
 * could not be read: the facts would fail, which each Subscription needs.
 */
const SERVED = { plural: 'clusterversions', namespaced: false };

export interface ServerFactsSource {
  /** The facts; `afresh` if something was missing and may exist by now. Throws the errors of the client. */
  get(signal: AbortSignal, options?: { readonly afresh?: boolean }): Promise<ServerFacts>;
}

/**
 * A source over a client; concurrent callers share one answer. An old answer is returned while a new one is fetched, so
 * a slow API server delays only the first caller, and callers that need a fresh answer.
 */
export function createServerFacts(client: Client, now: () => Date): ServerFactsSource {
  let known: { readonly facts: ServerFacts; readonly at: number } | undefined;
  let asked: { readonly facts: Promise<ServerFacts>; readonly at: number } | undefined;
  const ageOf = (one: { readonly at: number } | undefined): number => {
    const seconds = one === undefined ? Infinity : (now().getTime() - one.at) / 1000;
    // The clock was set back since: the age is not known.
    return seconds < 0 ? Infinity : seconds;
  };

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
    ({ apiVersion, kind, plural, namespaced }) =>
      apiVersion === OPENSHIFT.apiVersion &&
      kind === OPENSHIFT.kind &&
      plural === SERVED.plural &&
      namespaced === SERVED.namespaced,
  );
  const openShiftVersion = isOpenShift ? parseOpenShiftVersion(await client.get(OPENSHIFT, signal)) : undefined;
  return {
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    ...(openShiftVersion !== undefined && { openShiftVersion }),
    providedKinds: resources.map(kindOf),
  };
}

/** `1.34.1` of `{"gitVersion":"v1.34.1+k3s1"}`; undefined if the answer has none. */
export function parseServerVersion(body: string): string | undefined {
  return /"gitVersion":\s*"v?(?<version>\d+\.\d+\.\d+)/.exec(body)?.groups?.['version'];
}

/** The version that an OpenShift cluster has reached. */
function parseOpenShiftVersion(object: object | undefined): string | undefined {
  const { status } = (object ?? {}) as { readonly status?: { readonly desired?: { readonly version?: unknown } } };
  const version = status?.desired?.version;
  return typeof version === 'string' ? version : undefined;
}

function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group: group ?? '', version: version ?? '', kind };
}
