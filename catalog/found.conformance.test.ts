/**
 * Versions that outside checks found to be parsed or judged wrongly: each is parsed as its publishers' tools parse it.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatJson } from '../api/json.ts';
import { groupKind } from '../api/object.ts';
import { foundSet, hasFound } from '../e2e/lib/shared.ts';
import { buildBundleBlob, parseBundleDirectory } from './blob.ts';
import { sortedKeys } from '../bundles/go-json.ts';
import { renderBundle } from '../bundles/render/render.ts';
import { readBundleFolder } from '../bundles/testing/folder.ts';
import { bundleFolders, readBundle, renderEachMode } from '../bundles/testing/real-bundles.ts';
import { parseYaml } from '../bundles/yaml.ts';

const folderOf = (path: string): string => join(foundSet(), 'operators', path);

describe.skipIf(!hasFound)('versions with faults that outside checks found', () => {
  it('each found version is rendered in every mode that it supports', () => {
    const folders = bundleFolders(foundSet());
    const renderings = folders.flatMap((folder) => renderEachMode(folder, readBundle(folder)));
    expect(renderings.filter(({ result }) => 'refusal' in result)).toEqual([]);
    expect({ folders: folders.length, renderings: renderings.length }).toEqual({ folders: 45, renderings: 97 });
  });

  it('redis-operator 0.15.0, with texts that continue in unindented lines, is parsed as by sigs.k8s.io/yaml', () => {
    const crds = [...readBundleFolder(folderOf('redis-operator/0.15.0'))].filter(([path]) => path.includes('.crd.'));
    const values = crds.map(([, bytes]) => sortedKeys(parseYaml(bytes)[0]?.value));
    expect(createHash('sha256').update(formatJson(values)).digest('hex')).toBe(REDIS);
  });

  it.each([
    { bundle: 'ndmspc-operator/0.11.4', packages: ['keycloak-operator'] },
    { bundle: 'ndmspc-operator/0.20250209.0', packages: ['knative-operator', 'sailoperator'] },
  ])('$bundle requires $packages, whatever the file is called', ({ bundle, packages }) => {
    const { dependencies } = readBundle(folderOf(bundle));
    expect(dependencies.map(({ value }) => (value as { packageName: string }).packageName)).toEqual(packages);
    const directory = parseBundleDirectory(readBundleFolder(folderOf(bundle)));
    const { properties } = buildBundleBlob(directory, { image: 'registry.example/x:v1', manifests: 'excerpt' });
    const required = properties.filter(({ type }) => type === 'olm.package.required').map(({ value }) => value);
    expect(required).toMatchObject(packages.map((packageName) => ({ packageName })));
  });

  it.each([
    { bundle: 'ack-secretsmanager-controller/0.0.11', kind: 'Secret.secretsmanager.services.k8s.aws', count: 1 },
    { bundle: 'ack-ecs-controller/1.5.1', kind: 'Service.ecs.services.k8s.aws', count: 1 },
    { bundle: 'ecr-secret-operator/0.6.0', kind: 'Secret.ecr.mobb.redhat.com', count: 2 },
  ])('$bundle brings objects of its own kind $kind into the namespace of the operator', ({ bundle, kind, count }) => {
    const objects = renderBundle(readBundle(folderOf(bundle)), { namespace: 'ops', certificates: 'manager' });
    const own = objects.filter((object) => groupKind(object) === kind);
    expect(own.map(({ metadata }) => metadata.namespace)).toEqual(Array.from({ length: count }, () => 'ops'));
  });
});

/** Hash of the list of the four CRDs, by the names of their files. */
const REDIS = 'caa438b2061ed3b7b521220a0a8fc2498a496ad84831ad4214e9245f5839272c';
