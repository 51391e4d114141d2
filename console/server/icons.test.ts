/** A catalog may have put anything into the place of an icon. */
import { describe, expect, test } from 'vitest';
import { iconOf } from '../data/reduce-content.ts';
import { iconIn } from './icons.ts';

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

function documentWith(mediatype: unknown, bytes: Buffer): Readonly<Record<string, unknown>> {
  return { icon: { mediatype, base64data: bytes.toString('base64') } };
}

describe('an icon', () => {
  test('has the type that its bytes are of', () => {
    expect(iconIn(documentWith('image/SVG+xml', SVG))).toMatchObject({ type: 'image/svg+xml' });
  });

  test.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'text/html',
    '',
    7,
    undefined,
    null,
    {},
  ])('is not shown with the type %j', (mediatype) => {
    expect(iconIn(documentWith(mediatype, SVG))).toBeUndefined();
  });

  const BYTES: Readonly<Record<string, Buffer>> = {
    'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]),
    'image/jpeg': Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    'image/gif': Buffer.from('GIF89a'),
    'image/webp': Buffer.from('RIFF\u0000\u0000\u0000\u0000WEBPVP8 '),
    'image/svg+xml': SVG,
  };

  test.each(Object.keys(BYTES))('is shown as %s exactly if its bytes are of that type', (type) => {
    const accepted = Object.entries(BYTES).filter(([, bytes]) => iconIn(documentWith(type, bytes)) !== undefined);
    expect(accepted.map(([name]) => name)).toEqual([type]);
    expect(iconIn(documentWith(type, BYTES[type]!))).toEqual({ type, bytes: new Uint8Array(BYTES[type]!) });
  });

  test.each([
    { because: 'it begins with a declaration', text: '\uFEFF <?xml version="1.0"?><svg/>', isShown: true },
    { because: 'it begins with a comment', text: '<!-- made by hand --><svg/>', isShown: true },
    { because: 'it is a page', text: '<html><svg/></html>', isShown: false },
    { because: 'the element comes after text', text: 'x<svg/>', isShown: false },
    { because: 'another element has a name that begins alike', text: '<s><svg/></s>', isShown: false },
  ])('that is an SVG by its type begins as one: $because', ({ text, isShown }) => {
    expect(iconIn(documentWith('image/svg+xml', Buffer.from(text))) !== undefined).toBe(isShown);
  });

  test.each([
    undefined,
    7,
    [],
    {},
    { mediatype: 'image/gif' },
    { mediatype: 'image/gif', base64data: 7 },
    { mediatype: 'image/gif', base64data: '' },
  ])(
    // prettier-ignore
    'is not there if the document has no bytes for it: %j',
    (icon) => {
      expect(iconIn({ icon })).toBeUndefined();
    },
  );

  test.each([
    { because: 'the largest that is listed', bytes: (512 << 10) - SVG.length, isShown: true },
    { because: 'one that is larger than any', bytes: 512 << 10, isShown: false },
  ])('is shown exactly if the list of packages says that there is one: $because', ({ bytes, isShown }) => {
    const document = documentWith('image/svg+xml', Buffer.concat([SVG, Buffer.alloc(bytes, ' ')]));
    expect(iconIn(document) !== undefined).toBe(isShown);
    expect(iconOf(document) !== undefined).toBe(isShown);
  });
});
