/** Writes the certificates and keys of a cluster into its folder, at the paths that the components read. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, createTokenKeys, type Authority, type KeyPair } from './certificates.ts';
import type { Layout } from './components.ts';

/** What the one who started the cluster needs of them. */
export interface ClusterCredentials {
  /** PEM of the authority that signed the servers' certificates. */
  readonly ca: string;
  readonly admin: KeyPair;
  /** Of the same user: it is compared, while a certificate is verified with each request. */
  readonly adminToken: string;
  /** For certificates that are needed later. */
  readonly authority: Authority;
}

/** Creates everything under `pki/` for servers that are reached under the layout's addresses. */
export async function writePki({ folder, address, serviceCidr }: Layout): Promise<ClusterCredentials> {
  const apiService = serviceCidr.replace(/0\/\d+$/, '1');
  const authority = await createAuthority('slipway-test-cluster');
  const frontProxy = await createAuthority('slipway-test-front-proxy');
  const [apiServer, registry, admin, frontProxyClient] = await Promise.all([
    authority.issue({ commonName: 'kube-apiserver', dnsNames: API_NAMES, ipAddresses: [address, apiService] }),
    authority.issue({ commonName: 'registry', dnsNames: ['localhost'], ipAddresses: [address] }),
    authority.issue({ commonName: 'admin', organization: 'system:masters' }),
    frontProxy.issue({ commonName: 'front-proxy-client' }),
  ]);
  const tokenKeys = createTokenKeys();
  const write = (name: string, pem: string): void => writeFileSync(join(folder, 'pki', name), pem, { mode: 0o600 });
  write('ca.crt', authority.certificatePem);
  write('front-proxy-ca.crt', frontProxy.certificatePem);
  write('service-account.pub', tokenKeys.publicPem);
  write('service-account.key', tokenKeys.privatePem);
  const adminToken = randomUUID();
  write('tokens.csv', `${adminToken},admin,admin,system:masters\n`);
  const pairs = { apiserver: apiServer, registry, admin, 'front-proxy-client': frontProxyClient };
  for (const [name, pair] of Object.entries(pairs)) {
    write(`${name}.crt`, pair.publicPem);
    write(`${name}.key`, pair.privatePem);
  }
  return { ca: authority.certificatePem, admin, adminToken, authority };
}

/** Names under which Pods and people address the API server. */
const API_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];
