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

  test('is not shown if its bytes are of another type', () => {
    expect(iconIn(documentWith('image/png', SVG))).toBeUndefined();
  });

  test.each([
    { because: 'the largest that is listed', bytes: (512 << 10) - SVG.length, isShown: true },
    { because: 'one that is larger than any', bytes: 512 << 10, isShown: false },
  ])('is shown exactly if the list of packages says that there is one: $because', ({ bytes, isShown }) => {
    const document = documentWith('image/svg+xml', Buffer.concat([SVG, Buffer.alloc(bytes, ' ')]));
    expect(iconIn(document) !== undefined).toBe(isShown);
    expect(iconOf(document) !== undefined).toBe(isShown);
  });
});
