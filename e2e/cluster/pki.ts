/** Writes the certificates and keys of a cluster into its folder, where the components look for them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, createTokenKeys, type KeyPair } from './certificates.ts';

/** What the one who started the cluster needs of them. */
export interface ClusterCredentials {
  /** PEM of the authority that signed the servers' certificates. */
  readonly ca: string;
  readonly admin: KeyPair;
}

/** Creates everything under `pki/`. `addresses` are the IP addresses under which the servers are reached. */
export async function writePki(folder: string, addresses: readonly string[]): Promise<ClusterCredentials> {
  const authority = await createAuthority('slipway-test-cluster');
  const frontProxy = await createAuthority('slipway-test-front-proxy');
  const [apiServer, registry, admin, frontProxyClient] = await Promise.all([
    authority.issue({ commonName: 'kube-apiserver', dnsNames: API_NAMES, ipAddresses: [...addresses, '10.96.0.1'] }),
    authority.issue({ commonName: 'registry', dnsNames: ['localhost'], ipAddresses: addresses }),
    authority.issue({ commonName: 'admin', organization: 'system:masters' }),
    frontProxy.issue({ commonName: 'front-proxy-client' }),
  ]);
  const tokenKeys = createTokenKeys();
  const write = (name: string, pem: string): void => writeFileSync(join(folder, 'pki', name), pem, { mode: 0o600 });
  write('ca.crt', authority.certificatePem);
  write('front-proxy-ca.crt', frontProxy.certificatePem);
  write('service-account.pub', tokenKeys.publicPem);
  write('service-account.key', tokenKeys.privatePem);
  const pairs = { apiserver: apiServer, registry, admin, 'front-proxy-client': frontProxyClient };
  for (const [name, pair] of Object.entries(pairs)) {
    write(`${name}.crt`, pair.publicPem);
    write(`${name}.key`, pair.privatePem);
  }
  return { ca: authority.certificatePem, admin };
}

/** Names under which Pods and people address the API server. */
const API_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];
