/** The ClusterExtension of a way back, and the answers of OLM to it. */
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../api/untyped.ts';
import { answerOf, ask, isAsked, isOffer, isOfferOf, isTakenOver, offerOf, restored } from './offer.ts';
import { extensionOf } from './testing/extension.ts';
import { catalogFilter } from './extension.ts';

const RANGE = '>=1.0.0 <2.0.0';
const installed = { bundle: 'gadget-operator.v1.0.0', version: '1.0.0' };
const olm = extensionOf({
  metadata: { labels: { team: 'a' }, annotations: { note: 'b' }, finalizers: ['theirs'], ownerReferences: [] },
  catalog: { version: RANGE, channels: ['stable'] },
});
const offer = offerOf(olm, fieldsOf(olm['spec']), '1.0.0');

describe('an offer', () => {
  test('is the ClusterExtension of the backup, in one version, without the fields of the API server', () => {
    expect(offer).toEqual({
      apiVersion: olm.apiVersion,
      kind: olm.kind,
      metadata: {
        name: 'gadget',
        labels: { team: 'a' },
        annotations: { note: 'b', 'slipway.dev/adoption-offer': 'Offered' },
      },
      spec: {
        ...fieldsOf(olm['spec']),
        source: {
          sourceType: 'Catalog',
          catalog: { packageName: 'gadget-operator', version: '1.0.0', channels: ['stable'] },
        },
      },
    });
  });

  test.each([
    { because: 'it is one', extension: offer, is: true, ofVersion: true },
    {
      because: 'Slipway has upgraded since',
      extension: offerOf(olm, fieldsOf(olm['spec']), '0.9.0'),
      is: true,
      ofVersion: false,
    },
    {
      because: 'it was there before',
      extension: extensionOf({ catalog: { version: '1.0.0' } }),
      is: false,
      ofVersion: false,
    },
    { because: 'there is none', extension: undefined, is: false, ofVersion: false },
  ])('is recognized: $because', ({ extension, is, ofVersion }) => {
    expect(isOffer(extension)).toBe(is);
    expect(isOfferOf(extension, installed)).toBe(ofVersion);
  });

  test('is asked once all objects are marked', () => {
    expect(isAsked(offer)).toBe(false);
    const { annotations } = ask(offer)['metadata'] as { readonly annotations: Record<string, string> };
    expect(isAsked({ ...offer, metadata: { ...offer.metadata, annotations } })).toBe(true);
  });

  test.each([
    { because: 'it had a range', before: olm, version: RANGE },
    { because: 'it allowed any version', before: extensionOf(), version: null },
  ])('gets its versions back: $because', ({ before, version }) => {
    const live = { ...offer, metadata: { ...offer.metadata, resourceVersion: '9' } };
    expect(restored(live, fieldsOf(before['spec']), installed)).toEqual({
      metadata: { resourceVersion: '9', annotations: { 'slipway.dev/adoption-offer': null } },
      spec: { source: { catalog: { version } } },
    });
  });
});

/** As OLM 1.11 writes them. */
const RESOLVED = 'error for resolved bundle "gadget-operator.v1.0.0" with version "1.0.0": ';
const CONFLICT =
  "failed to get release state using server-side dry-run: Deployment 'gadget' already exists in namespace 'ops' and cannot be managed by operator-controller";

describe('the answer of OLM', () => {
  test.each<{ because: string; progressing: object; kind: string }>([
    {
      because: 'it has the version, and the objects are in its way',
      progressing: { message: `${RESOLVED}${CONFLICT}` },
      kind: 'agreed',
    },
    {
      because: 'an older one passes on the words of Helm',
      progressing: {
        message: `${RESOLVED}Unable to continue with install: Deployment "gadget" in namespace "ops" exists and cannot be imported into the current release`,
      },
      kind: 'agreed',
    },
    {
      because: 'its catalog has a build in the version of that bundle',
      progressing: {
        message: `error for resolved bundle "gadget-operator.v1.0.0" with version "1.0.0+7": ${CONFLICT}`,
      },
      kind: 'agreed',
    },
    {
      because: 'it has not read this spec yet',
      progressing: { message: `${RESOLVED}${CONFLICT}`, observedGeneration: 2 },
      kind: 'waiting',
    },
    {
      because: 'the image cannot be pulled now',
      progressing: { message: `${RESOLVED}error pulling the image` },
      kind: 'waiting',
    },
    {
      because: 'catalogd does not answer',
      progressing: { message: 'error walking catalogs: connection refused' },
      kind: 'waiting',
    },
    {
      because: 'no catalog has the version',
      progressing: { message: 'no bundles found for package "gadget-operator" matching version "1.0.0"' },
      kind: 'refused',
    },
    {
      because: 'two catalogs have it',
      progressing: {
        message:
          'found bundles for package "gadget-operator" matching version "1.0.0" in multiple catalogs with the same priority [a b]',
      },
      kind: 'refused',
    },
    {
      because: 'another bundle has the version',
      progressing: { message: `error for resolved bundle "gadget.1" with version "1.0.0": ${CONFLICT}` },
      kind: 'refused',
    },
    {
      because: 'it has resolved another version',
      progressing: { message: `error for resolved bundle "gadget-operator.v1.0.0" with version "1.0.1": ${CONFLICT}` },
      kind: 'refused',
    },
    {
      because: 'it cannot install such a bundle',
      progressing: { message: `${RESOLVED}unsupported bundle: apiServiceDefintions are not supported` },
      kind: 'refused',
    },
    {
      because: 'it rejects the configuration',
      progressing: {
        status: 'False',
        reason: 'InvalidConfiguration',
        message: `${RESOLVED}invalid ClusterExtension configuration: unknown field`,
      },
      kind: 'refused',
    },
  ])('is $kind: $because', ({ progressing, kind }) => {
    expect(answerOf(extensionOf({ progressing: { reason: 'Retrying', ...progressing } }), installed).kind).toBe(kind);
  });

  test('is waited for before OLM has reported a state', () => {
    expect(answerOf(offer, installed).kind).toBe('waiting');
  });
});

describe('OLM has taken the operator over', () => {
  test.each([
    { because: 'it reports the version as installed', extension: extensionOf(), is: true },
    {
      because: 'it reports the version with a build',
      extension: extensionOf({
        status: { install: { bundle: { name: 'gadget-operator.v1.0.0', version: '1.0.0+7' } } },
      }),
      is: true,
    },
    { because: 'it is at work', extension: extensionOf({ progressing: { reason: 'Retrying' } }), is: false },
    {
      because: 'a person has had it install another version',
      extension: extensionOf({ status: { install: { bundle: { name: 'gadget-operator.v2', version: '2.0.0' } } } }),
      is: true,
    },
    {
      because: 'it reports nothing as installed',
      extension: extensionOf({ status: { install: undefined } }),
      is: false,
    },
  ])('$because: $is', ({ extension, is }) => {
    expect(catalogFilter(extension)).toBeDefined();
    expect(isTakenOver(extension)).toBe(is);
  });
});
