import { expect, test } from 'vitest';
import { isHarmless } from './harmless.ts';

const MANY = 5000;

test.each([
  { html: '<p>', harmless: true, because: 'it is a tag of the list' },
  {
    html: ' </LI >\n<br/>  <h6>\t',
    harmless: true,
    because: 'white space may be around each tag, and case does not count',
  },
  { html: '<p> '.repeat(MANY), harmless: true, because: 'there may be many tags' },
  { html: '<p>text', harmless: false, because: 'text is escaped by itself' },
  { html: '<p class="x">', harmless: false, because: 'it has an attribute' },
  { html: '<script>', harmless: false, because: 'the tag is not in the list' },
  { html: '<h7>', harmless: false, because: 'there is no such heading' },
  { html: '', harmless: false, because: 'there is no tag' },
  { html: ' '.repeat(MANY), harmless: false, because: 'white space is no tag' },
  { html: `${'<p> '.repeat(MANY)}!`, harmless: false, because: 'the last of many tags has text behind it' },
  { html: `${'<p>\n \t'.repeat(MANY)}<`, harmless: false, because: 'the last of many tags is cut' },
  { html: `<p${' '.repeat(MANY)}!`, harmless: false, because: 'a tag has only white space, and no end' },
])('HTML is drawn only if all of it is known to be harmless: $because', ({ html, harmless }) => {
  expect(isHarmless(html)).toBe(harmless);
});
