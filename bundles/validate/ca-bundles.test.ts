import { describe, expect, test } from 'vitest';
import { makeBundle, makeCrd } from '../testing/bundle.ts';
import { refuseBundle, validateBundle } from './validate.ts';

/** An authority for tests, valid for a hundred years. */
const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUBaNOvKudmOk+rqQtwZJoYhBxjB0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJYXV0aG9yaXR5MCAXDTI2MTEyMjE5MjgxN1oYDzIxMjYxMDI5
MTkyODE3WjAUMRIwEAYDVQQDDAlhdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARwaWt7/oz2Fn5efUrxqsQiPtOFh/Wf3x/pOVnl7UFgXqURrOt2wN6G
+cGzb3Zpm39EhhCwNp9Can7l6jdf8vWlo1MwUTAdBgNVHQ4EFgQUPPTDsEIhUOCB
2VgM5+FjW3+vOM8wHwYDVR0jBBgwFoAUPPTDsEIhUOCB2VgM5+FjW3+vOM8wDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA2SY9HpO3YrZDXf3Prk35
FL/m3QmAx7K1VeiVDRSo5E8CIQCSJR8kZgf5UnOustxOG3edm02LllKLG/v4rXCc
+OUzIA==
-----END CERTIFICATE-----
`;

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A bundle whose CRD is converted by a webhook with that authority. */
function bundleWith(caBundle: unknown, annotations: unknown = {}, webhookdefinitions: readonly object[] = []) {
  const clientConfig = {
    service: { name: 'webhook', namespace: 'system' },
    ...(caBundle !== undefined && { caBundle }),
  };
  const crd = makeCrd({
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
  }) as { metadata: object };
  return makeBundle({
    objects: [{ ...crd, metadata: { ...crd.metadata, annotations } }],
    spec: { webhookdefinitions },
  });
}

describe('the caBundle of a CRD is refused', () => {
  test.each([
    { because: 'it is the line break that a scaffold leaves there', caBundle: 'Cg==' },
    { because: 'it is no PEM', caBundle: base64('authority') },
    { because: 'it is no base64', caBundle: '%%%' },
    {
      because: 'it is another block of PEM',
      caBundle: base64('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'),
    },
    {
      because: 'the certificate cannot be read',
      caBundle: base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
    },
    {
      because: 'one of two certificates cannot be read',
      caBundle: base64(`${AUTHORITY}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`),
    },
  ])('$because', ({ caBundle }) => {
    const found = validateBundle(bundleWith(caBundle), { suites: ['install'] });
    expect(found.filter(({ check }) => check === 'ca-bundles')).toMatchObject([
      { level: 'error', path: 'spec.conversion.webhook.clientConfig.caBundle' },
    ]);
    expect(() => refuseBundle(bundleWith(caBundle))).toThrow(
      expect.objectContaining({ reason: 'InvalidCABundle', retry: 'never' }),
    );
  });
});

describe('the caBundle of a CRD is taken', () => {
  const converter = {
    type: 'ConversionWebhook',
    generateName: 'c',
    deploymentName: 'gadget-manager',
    conversionCRDs: ['gadgets.example.com'],
  };
  test.each([
    { because: 'it is an authority', bundle: bundleWith(base64(AUTHORITY)) },
    {
      because: 'it is several of them, with text between',
      bundle: bundleWith(base64(`# one\n${AUTHORITY}\n# two\n${AUTHORITY}`)),
    },
    { because: 'there is none: the authorities of the node count', bundle: bundleWith(undefined) },
    { because: 'it is empty', bundle: bundleWith('') },
    { because: 'there is none, and the field of the annotations is empty', bundle: bundleWith(undefined, null) },
    {
      because: 'cert-manager replaces it',
      bundle: bundleWith('Cg==', { 'cert-manager.io/inject-ca-from': 'system/cert' }),
    },
    { because: 'it is rendered from the CSV, whatever the CRD says', bundle: bundleWith('Cg==', {}, [converter]) },
  ])('$because', ({ bundle }) => {
    expect(validateBundle(bundle, { suites: ['install'] }).filter(({ check }) => check === 'ca-bundles')).toEqual([]);
  });
});
