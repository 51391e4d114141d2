/** After a removal of Slipway no right may stay: rights of the cluster outlive the namespace of their account. */
import { loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { stepsOf } from './shell-steps.ts';
import { readText, repositoryFiles } from './source-files.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

/** Deletes every right of the cluster, whichever overlay brought it. */
const BY_LABEL = 'kubectl delete clusterrolebindings,clusterroles --selector app.kubernetes.io/name=slipway';

const rights = repositoryFiles()
  .filter((path) => /^deploy\/(?!chart|samples|ci)[^]*\.yaml$/.test(path))
  .flatMap((path) => (loadAll(readText(path) ?? '') as (Manifest | null)[]).map((manifest) => ({ path, manifest })))
  .filter(({ manifest }) => manifest !== null && /^ClusterRole(?:Binding)?$/.test(manifest.kind));

test('every role and binding of the cluster has the label by which the guide deletes it', () => {
  const paths = new Set(rights.map(({ path }) => path));
  expect([...paths]).toEqual(expect.arrayContaining(['deploy/console/rbac.yaml', 'deploy/rbac/rbac.yaml']));
  expect(paths.size).toBeGreaterThan(4);
  const unlabelled = rights.filter(
    ({ manifest }) => manifest?.metadata.labels?.['app.kubernetes.io/name'] !== 'slipway',
  );
  expect(unlabelled.map(({ path, manifest }) => `${path}: ${manifest?.metadata.name}`)).toEqual([]);
});

describe('the guide deletes rights of the cluster before the namespace', () => {
  const scripts = stepsOf('docs/how-to/remove-slipway.md').map(({ script }) => script);
  test.each([
    { way: 'kubectl', namespace: 'kubectl delete --ignore-not-found -f deploy/install.yaml' },
    { way: 'helm', namespace: 'kubectl delete namespace' },
  ])('with $way', ({ namespace }) => {
    const ways = scripts.filter((one) => one.includes(namespace));
    expect(ways).not.toEqual([]);
    for (const script of ways) {
      expect(script).toContain(BY_LABEL);
      expect(script.indexOf(BY_LABEL)).toBeLessThan(script.indexOf(namespace));
    }
  });
});
