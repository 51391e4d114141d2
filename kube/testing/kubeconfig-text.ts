/** Texts of kubeconfig files for tests, in JSON, which is YAML too. */

/** A kubeconfig with the contexts `one`, `two` (namespace `ops`) and `broken`, all of user `u`. */
export function kubeconfigText(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'one',
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u' } },
      { name: 'two', context: { cluster: 'c', user: 'u', namespace: 'ops' } },
      { name: 'broken', context: { cluster: 'none', user: 'u' } },
      { name: 'nobody', context: { cluster: 'c', user: 'none' } },
      { name: 'anonymous', context: { cluster: 'c' } },
    ],
    clusters: [
      { name: 'c', cluster: { server: 'https://localhost:1', 'certificate-authority-data': btoa('CA'), ...cluster } },
    ],
    users: [{ name: 'u', user }],
  });
}

/** The cluster of a server of a test. */
export function clusterEntry({ server, ca }: { readonly server: string; readonly ca?: unknown }): object {
  return { server, 'certificate-authority-data': btoa(String(ca)) };
}
