import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { manifestSecrets } from '../manifest-secrets.ts';
import { describeManifests, packManifests } from '../manifests.ts';
import { createDesiredObjects } from './desired-objects.ts';

it('are loaded once while a Revision is rolled out, and again after that', async () => {
  const packed = await packManifests([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }]);
  const revision = {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: {
      namespace: 'ops',
      name: 'widgets-1',
      uid: 'u',
      ownerReferences: [
        { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name: 'widgets', uid: 's', controller: true },
      ],
    },
    spec: { subscription: 'widgets', package: 'widgets', manifests: describeManifests('widgets-1', packed) },
  } as unknown as Revision;
  const secrets = manifestSecrets(revision, packed.pieces);
  let reads = 0;
  const desired = createDesiredObjects({
    get: async ({ name }): Promise<KubeObject | undefined> => {
      reads += 1;
      return secrets.find(({ metadata }) => metadata.name === name);
    },
  });
  const [first] = await desired.of(revision);
  expect(first?.metadata).toMatchObject({ namespace: 'ops', name: 'x' });
  expect([(await desired.of(revision))[0] === first, reads]).toEqual([true, 1]);
  desired.forget(revision);
  await desired.of(revision);
  expect(reads).toBe(2);
});
