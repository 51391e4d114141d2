/** Which policy a bundle is checked against, and when a refused one is checked again. */
import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import type { CheckSignatures } from '../signature-checks.ts';
import { checkBundle } from './bundle-signatures.ts';
import { revision } from './testing/facts.ts';

const IMAGE = `registry.example/gadget@sha256:${'b'.repeat(64)}`;
const SIGNATURE = { policy: 'p', by: 'key release' };
const CATALOG = { metadata: { name: 'main' }, spec: { source: {}, interval: '30s' } } as unknown as Catalog;

function ask(
  check: CheckSignatures,
  { catalog, revisions = [] }: { readonly catalog?: Catalog; readonly revisions?: readonly Revision[] },
) {
  const asked = { image: IMAGE, catalog, catalogName: 'main', pullSecret: undefined, revisions };
  return checkBundle(check, asked, new AbortController().signal).catch((error: unknown) => error);
}

describe('without its Catalog', () => {
  const nothing: CheckSignatures = async () => undefined;

  test.each<{ because: string; revisions: readonly Revision[]; expected: unknown }>([
    {
      because: 'a Revision of it was made under its policy',
      revisions: [revision({ image: IMAGE, signature: SIGNATURE })],
      expected: SIGNATURE,
    },
    {
      because: 'a Revision of it was made when there was no policy',
      revisions: [revision({ image: IMAGE })],
      expected: undefined,
    },
    {
      because: 'the Catalog was deleted between the decision and the check, and with it its policy',
      revisions: [],
      expected: expect.objectContaining({ reason: 'CatalogNotFound', retry: 'backoff' }),
    },
    {
      because: 'a Revision of another image says nothing about this one',
      revisions: [revision({ image: `registry.example/gadget@sha256:${'c'.repeat(64)}`, signature: SIGNATURE })],
      expected: expect.objectContaining({ reason: 'CatalogNotFound', retry: 'backoff' }),
    },
  ])('a bundle is taken only as its Revision has it: $because', async ({ revisions, expected }) => {
    expect(await ask(nothing, { revisions })).toEqual(expected);
  });

  describe('a policy over the image counts as before', () => {
    const revisions = [revision({ image: IMAGE, signature: SIGNATURE })];

    test('an image that it does not trust is refused', async () => {
      const refuse: CheckSignatures = async (catalog) => {
        expect(catalog).toBeUndefined();
        throw new ReasonedError({ reason: 'Unsigned', retry: 'never', message: 'no' });
      };
      expect(await ask(refuse, { revisions })).toMatchObject({ reason: 'Unsigned', retry: { afterSeconds: 300 } });
    });

    test('its result is recorded in the place of the former one', async () => {
      const other = { policy: 'q', by: 'key of the policy' };
      expect(await ask(async () => other, { revisions })).toEqual(other);
    });

    test('a new image is refused without asking the registry', async () => {
      let isAsked = false;
      const check: CheckSignatures = async () => void (isAsked = true);
      expect(await ask(check, { revisions: [] })).toMatchObject({ reason: 'CatalogNotFound' });
      expect(isAsked).toBe(false);
    });
  });
});

describe('with its Catalog', () => {
  test.each<{ because: string; reason: Reason; retry: unknown }>([
    { because: 'it may be signed', reason: 'Unsigned', retry: { afterSeconds: 30 } },
    { because: 'it may be signed by another', reason: 'SignedByOtherKey', retry: { afterSeconds: 30 } },
    { because: 'superfluous signatures may be deleted', reason: 'TooManySignatures', retry: { afterSeconds: 30 } },
    { because: 'only the policy can be corrected', reason: 'InvalidSpec', retry: 'never' },
  ])('$reason is checked again when that can change the answer: $because', async ({ reason, retry }) => {
    const refuse: CheckSignatures = () => Promise.reject(new ReasonedError({ reason, retry: 'never', message: 'no' }));
    const revisions = [revision({ image: IMAGE, signature: SIGNATURE })];
    expect(await ask(refuse, { catalog: CATALOG, revisions })).toMatchObject({ reason, retry });
  });
});
