/** Writes kubeconfig files that need no other file, in JSON, which is YAML too. [pure] */

/** Who a kubeconfig speaks for. */
export type Credentials = { readonly certificate: string; readonly key: string } | { readonly token: string };

export interface KubeconfigFacts {
  readonly server: string;
  readonly ca: string;
  readonly credentials: Credentials;
  readonly namespace?: string;
}

/** The text of a kubeconfig with one context. */
export function buildKubeconfig({ server, ca, credentials, namespace = 'default' }: KubeconfigFacts): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'slipway',
    clusters: [{ name: 'slipway', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'user', user: user(credentials) }],
    contexts: [{ name: 'slipway', context: { cluster: 'slipway', user: 'user', namespace } }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function user(credentials: Credentials): Record<string, string> {
  if ('token' in credentials) return { token: credentials.token };
  const { certificate, key } = credentials;
  return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
