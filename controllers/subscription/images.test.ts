import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import type { Target } from './action.ts';
import { decideSubscription } from './decide.ts';
import { imageByDigest, planPull } from './images.ts';
import { catalog, facts, revision, subscription } from './testing/facts.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const HOST = 'registry.example';

/** A target with an image, from the catalog `main`. */
function target(image: string): Target {
  const bundle = {
    name: 'gadget.v1.0.0',
    package: 'gadget',
    version: '1.0.0',
    image,
    properties: [],
    relatedImages: [],
  };
  return { bundle, catalog: 'main', channel: 'stable', configHash: 'h' };
}

/** The catalog `main`, which offers one image. */
function offering(image: string): CatalogSource {
  const source = catalog({ versions: ['1.0.0'] });
  const content = source.content('gadget');
  const bundles = content?.bundles.map((one) => ({ ...one, image })) ?? [];
  return {
    ...source,
    content: (name) => (name === 'gadget' && content !== undefined ? { ...content, bundles } : undefined),
  };
}

const unavailable: CatalogSource = { name: 'main', priority: 0, state: 'Unavailable', content: () => undefined };
const closed: CatalogSource = { ...unavailable, state: 'NotAllowed', message: 'labels' };
const recorded = (image: string, from = 'main'): ReturnType<typeof subscription> =>
  subscription({
    status: { installed: { bundle: 'gadget.v1.0.0', version: '1.0.0', image, catalog: from, revision: 'gadget-1' } },
  });

describe('the image of a Revision', () => {
  test.each([
    {
      because: 'its Catalog offers it',
      image: `${HOST}/gadget@${DIGEST}`,
      catalogs: [offering(`${HOST}/gadget@${DIGEST}`)],
    },
    {
      because: 'its Catalog offers it by tag',
      image: `${HOST}/gadget:v1@${OTHER}`,
      catalogs: [offering(`${HOST}/gadget:v1`)],
    },
    {
      because: 'it is recorded, and its Catalog has dropped that version',
      image: `${HOST}/gadget@${DIGEST}`,
      catalogs: [offering(`${HOST}/gadget@${OTHER}`)],
      one: recorded(`${HOST}/gadget@${DIGEST}`),
    },
    {
      because: 'it is recorded, and its Catalog has no content now',
      image: `${HOST}/gadget@${DIGEST}`,
      catalogs: [unavailable],
      one: recorded(`${HOST}/gadget@${DIGEST}`),
    },
  ])(
    'an image is pulled with the pull secret of its Catalog: $because',
    ({ image, catalogs, one = subscription() }) => {
      expect(planPull(facts({ subscription: one, catalogs }), target(image))).toEqual({ secretOf: 'main' });
    },
  );

  test.each([
    {
      because: 'it is recorded, and its Catalog offers nothing of that repository',
      image: `${HOST}/secret@${DIGEST}`,
      catalogs: [offering(`${HOST}/gadget@${DIGEST}`)],
      one: recorded(`${HOST}/secret@${DIGEST}`),
    },
    {
      because: 'it is recorded, and its Catalog is gone',
      image: `${HOST}/gadget@${DIGEST}`,
      catalogs: [],
      one: recorded(`${HOST}/gadget@${DIGEST}`),
    },
  ])('an image is pulled without a secret: $because', ({ image, catalogs, one }) => {
    expect(planPull(facts({ subscription: one, catalogs }), target(image))).toEqual({});
  });

  test.each([
    {
      because: 'the Catalog offers another image (s12)',
      image: `${HOST}/secret@${DIGEST}`,
      catalogs: [offering(`${HOST}/gadget@${DIGEST}`)],
    },
    {
      because: 'the digest is another one',
      image: `${HOST}/gadget@${OTHER}`,
      catalogs: [offering(`${HOST}/gadget@${DIGEST}`)],
    },
    {
      because: 'the tag is another one',
      image: `${HOST}/gadget:v2@${DIGEST}`,
      catalogs: [offering(`${HOST}/gadget:v1`)],
    },
    {
      because: 'the host is the node itself (s12)',
      image: `127.0.0.1:6443/gadget@${DIGEST}`,
      catalogs: [offering(`${HOST}/gadget@${DIGEST}`)],
    },
    { because: 'no Catalog of that name exists', image: `${HOST}/gadget@${DIGEST}`, catalogs: [] },
    { because: 'the Catalog has no content now', image: `${HOST}/gadget@${DIGEST}`, catalogs: [unavailable] },
    {
      because: 'it is recorded for another Catalog',
      image: `${HOST}/gadget@${DIGEST}`,
      catalogs: [unavailable],
      one: recorded(`${HOST}/gadget@${DIGEST}`, 'other'),
    },
    {
      because: 'the text is no reference',
      image: `://@${DIGEST}`,
      catalogs: [offering(`${HOST}/gadget@${DIGEST}`)],
      one: recorded(`://@${DIGEST}`),
    },
  ])('an image is not pulled: $because', ({ image, catalogs, one = subscription() }) => {
    expect(() => planPull(facts({ subscription: one, catalogs }), target(image))).toThrow(
      expect.objectContaining({ reason: 'RevisionInvalid', retry: 'never' }),
    );
  });

  test('an image is pulled later if its Catalog cannot be read at the moment, as while its content is replaced', () => {
    const replaced: CatalogSource = {
      ...offering(`${HOST}/gadget@${DIGEST}`),
      content: () => {
        throw new ReasonedError({ reason: 'CatalogUnavailable', retry: 'backoff', message: 'the index is closed' });
      },
    };
    expect(() => planPull(facts({ catalogs: [replaced] }), target(`${HOST}/gadget@${DIGEST}`))).toThrow(
      expect.objectContaining({ reason: 'CatalogUnavailable', retry: 'backoff' }),
    );
  });

  test('an image is not pulled from a Catalog that may not be used here, recorded or not', () => {
    const image = `${HOST}/gadget@${DIGEST}`;
    expect(() => planPull(facts({ subscription: recorded(image), catalogs: [closed] }), target(image))).toThrow(
      expect.objectContaining({ reason: 'CatalogNotAllowed', retry: 'never' }),
    );
  });

  test("an image is pulled from the Catalog's repository, whatever repository a Revision with its digest names", () => {
    expect(imageByDigest(target(`${HOST}/gadget@${DIGEST}`), `127.0.0.1:6443/x@${DIGEST}`)).toBe(
      `${HOST}/gadget@${DIGEST}`,
    );
    expect(imageByDigest(target(`${HOST}/gadget:v1`), `127.0.0.1:6443/x@${OTHER}`)).toBe(`${HOST}/gadget:v1@${OTHER}`);
  });
});

describe('a Catalog that may not be used here any more', () => {
  const works = revision({ ready: true });
  const newer = catalog({ catalog: 'other', versions: ['1.0.0', '2.0.0'] });

  test.each([
    { because: 'nothing else has the package', catalogs: [closed] },
    { because: 'another catalog has it too', catalogs: [closed, newer] },
  ])('the bundle that is installed from a Catalog that may no longer be used stays: $because', ({ catalogs }) => {
    expect(decideSubscription(facts({ revisions: [works], catalogs }))).toMatchObject({
      decision: { kind: 'none', reason: 'CatalogNotAllowed' },
      action: { do: 'nothing' },
    });
  });

  test('a Subscription moves to another Catalog that the spec names', () => {
    const one = subscription({ spec: { catalog: 'other' } });
    expect(
      decideSubscription(facts({ subscription: one, revisions: [works], catalogs: [closed, newer] })),
    ).toMatchObject({
      decision: { kind: 'upgrade', catalog: 'other' },
    });
  });

  test('nothing is installed from a Catalog that may not be used, and a spec that names it gets the reason', () => {
    const one = subscription({ spec: { catalog: 'main' } });
    expect(decideSubscription(facts({ subscription: one, catalogs: [closed, newer] }))).toMatchObject({
      decision: {
        kind: 'none',
        reason: 'CatalogNotAllowed',
        suggestions: [{ change: 'catalog', catalogs: ['other'] }],
      },
    });
  });
});
