/** The Subscription that goes on with the operator of a ClusterExtension. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { extensionOf, surveyOf } from './testing/extension.ts';
import { translateExtension } from './translate.ts';

const certificate: KubeObject = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: { name: 'gadget' } };

test.each([
  { because: 'all channels are allowed', extension: extensionOf(), spec: {} },
  { because: 'one channel is', extension: extensionOf({ catalog: { channels: ['fast'] } }), spec: { channel: 'fast' } },
  {
    because: 'the edges of the catalog are ignored',
    extension: extensionOf({ catalog: { upgradeConstraintPolicy: 'SelfCertified' } }),
    spec: { edges: 'Ignore' },
  },
  {
    because: 'the edges of the catalog are followed',
    extension: extensionOf({ catalog: { upgradeConstraintPolicy: 'CatalogProvided' } }),
    spec: {},
  },
  {
    because: 'it watches one namespace',
    extension: extensionOf({ spec: { config: { configType: 'Inline', inline: { watchNamespace: 'watched' } } } }),
    spec: { watchNamespaces: ['watched'] },
  },
  {
    because: 'its Deployments are configured',
    extension: extensionOf({ spec: { config: { inline: { deploymentConfig: { nodeSelector: { a: 'b' } } } } } }),
    spec: { config: { nodeSelector: { a: 'b' } } },
  },
  {
    because: 'the changes of its CRDs are not checked',
    extension: extensionOf({ spec: { install: { preflight: { crdUpgradeSafety: { enforcement: 'None' } } } } }),
    spec: { crdUpgradeSafety: { enforcement: 'None' } },
  },
])('has the settings of the ClusterExtension: $because', ({ extension, spec }) => {
  expect(translateExtension(surveyOf({ extension }), { name: 'gadget' })).toEqual({
    manifest: {
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'gadget', namespace: 'ops' },
      spec: { package: 'gadget-operator', channel: '*', version: '1.0.0', ...spec },
    },
  });
});

test('leaves certificates to cert-manager if OLM does, and has the catalog that was asked for', () => {
  const { manifest } = translateExtension(surveyOf({ objects: [certificate] }), { name: 'gadget', catalog: 'hub' });
  expect(manifest['spec']).toMatchObject({ certificates: 'CertManager', catalog: 'hub' });
});

test('is pinned at first, and gets the range of versions afterwards', () => {
  const { manifest, range } = translateExtension(
    surveyOf({ extension: extensionOf({ catalog: { version: '1.x' } }) }),
    {
      name: 'gadget',
    },
  );
  expect(manifest['spec']).toMatchObject({ version: '1.0.0' });
  expect(range).toBe('1.x');
});
