/** `fetch` for the issuer: by the authority of its certificate, and through the proxy that leads to it. */
import { Agent } from 'node:https';
import { fetchThrough } from '../../kube/kubeconfig/fetch-trusting.ts';
import { isDirect, usableProxies } from '../../oci/proxy.ts';

export interface WayToIssuer {
  /** PEM of the only authority that is trusted; absent: those of the system. */
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
  /** Hosts that are reached without the proxy, as in the variable `NO_PROXY`. */
  readonly noProxy?: string | undefined;
  /** How long the proxy may take to answer; ten seconds unless given. */
  readonly proxyMs?: number;
}

/** Undefined if Node's own `fetch` serves. */
export function issuerFetch({
  ca,
  proxy,
  noProxy,
  ...times
}: WayToIssuer): ReturnType<typeof fetchThrough> | undefined {
  if (ca === undefined && proxy === undefined) return undefined;
  const trust = ca === undefined ? {} : { ca };
  const direct = new Agent(trust);
  if (proxy === undefined) return fetchThrough(() => direct);
  const env = { HTTPS_PROXY: proxy, NO_PROXY: noProxy };
  const proxied = new Agent({ ...trust, proxyEnv: usableProxies(env) });
  return fetchThrough((url) => (isDirect(url, env) ? direct : proxied), times);
}
