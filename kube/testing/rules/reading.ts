/** The API server's rules of lists and kinds that clients rely on. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import type { Client } from '../../client/client.ts';
import { CONFIG_MAP, configMap, NAMESPACE } from './objects.ts';

/** Declares the tests; `connect` returns a client with all rights when they run. */
export function checkReading(connect: () => Client): void {
  describe('a list', () => {
    test('a list finds Secrets by label and type, without their contents if only metadata is requested', async () => {
      const labels = { 'example.com/of': 'listing' };
      const secret = (name: string, type: string): KubeObject => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: NAMESPACE, labels },
        type,
        data: { x: 'eA==' },
      });
      const made = await connect().create(secret('listed', 'example.com/ours'));
      await connect().create(secret('of-another-type', 'Opaque'));
      const found = await connect().list(
        { apiVersion: 'v1', kind: 'Secret' },
        {
          namespace: NAMESPACE,
          labelSelector: 'example.com/of=listing',
          fieldSelector: 'type=example.com/ours',
          metadataOnly: true,
        },
      );
      expect(found.map(({ metadata }) => metadata.uid)).toEqual([made.metadata.uid]);
      expect(found[0]).not.toHaveProperty('data');
    });

    test('a list by name finds the one object in its namespace', async () => {
      const created = await connect().create(configMap('listed'));
      await connect().create(configMap('listed-too'));
      const byName = (name: string): Promise<readonly KubeObject[]> =>
        connect().list(CONFIG_MAP, { namespace: NAMESPACE, fieldSelector: `metadata.name=${name}` });
      expect((await byName('listed')).map(({ metadata }) => metadata.uid)).toEqual([created.metadata.uid]);
      expect(await byName('never')).toEqual([]);
    });
  });

  describe('a kind', () => {
    test.each([
      { apiVersion: 'v1', kind: 'ConfigMap', scope: true },
      { apiVersion: 'v1', kind: 'Namespace', scope: false },
      { apiVersion: 'nothing.example.com/v1', kind: 'Nothing', scope: undefined },
    ])('the kind $kind is namespaced: $scope', async ({ apiVersion, kind, scope }) => {
      expect(await connect().isNamespaced({ apiVersion, kind })).toBe(scope);
    });

    test('an object of a kind that is not served does not exist', async () => {
      const ref = { apiVersion: 'nothing.example.com/v1', kind: 'Nothing', namespace: NAMESPACE, name: 'x' };
      expect(await connect().get(ref)).toBeUndefined();
    });
  });
}
