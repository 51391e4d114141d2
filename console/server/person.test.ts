/** Names of persons arrive at the API server exactly as they were judged here, or are refused. */
import { describe, expect, test } from 'vitest';
import { parsePerson, reservedNames } from './person.ts';

/** Every place of a person that becomes the value of a header. */
const PLACES: readonly { readonly place: string; readonly personWith: (text: string) => unknown }[] = [
  { place: 'user', personWith: (user) => ({ user, groups: [] }) },
  { place: 'uid', personWith: (uid) => ({ user: 'ann', uid, groups: [] }) },
  { place: 'group', personWith: (group) => ({ user: 'ann', groups: ['staff', group] }) },
  { place: 'extra', personWith: (value) => ({ user: 'ann', groups: [], extra: { 'example.com/team': ['a', value] } }) },
];

const CHANGED_ON_THE_WAY = [
  { because: 'readers of headers strip a space before it', text: ' system:masters' },
  { because: 'readers of headers strip a space behind it', text: 'eve@example.com ' },
  { because: 'readers of headers strip a tab', text: '\tsystem:masters' },
  { because: 'programs that trim by Unicode strip a no-break space', text: '\u00A0system:masters' },
  { because: 'programs that trim by Unicode strip a byte order mark', text: '\uFEFFsystem:masters' },
  { because: 'programs that trim by Unicode strip an ideographic space', text: 'eve\u3000' },
  { because: 'a line break begins another header', text: 'eve\r\nImpersonate-Group: system:masters' },
  { because: 'a line feed ends the header', text: 'eve\n' },
  { because: 'half a character becomes the replacement character', text: 'eve\uD800' },
  { because: 'bytes that are no text make different names one', text: 'eve\uFFFD' },
  { because: 'no header can have a zero', text: 'e\u0000ve' },
  { because: 'readers of headers refuse the delete character', text: 'e\u007Fve' },
  { because: 'it is longer than any name', text: 'e'.repeat(1025) },
];

describe.each(PLACES)('a person is refused for the text of the $place', ({ personWith }) => {
  test.each(CHANGED_ON_THE_WAY)('since $because', ({ text }) => {
    expect(parsePerson(personWith(text))).toBeUndefined();
  });

  test.each(['a b', 'Ünal', 'https://issuer.example#7', 'a, system:masters', 'x'])('and not for %j', (text) => {
    expect(parsePerson(personWith(text))).toEqual(personWith(text));
  });
});

test('an extra may have an empty value, and names may not', () => {
  const [user, , group, extra] = PLACES.map(({ personWith }) => personWith(''));
  expect([user, group].map(parsePerson)).toEqual([undefined, undefined]);
  expect(parsePerson(extra)).toEqual(extra);
});

test.each([
  { because: 'it is the user', person: { user: 'system:admin', groups: [] } },
  { because: 'it is a group', person: { user: 'ann', groups: ['staff', 'system:masters'] } },
  { because: 'a space hides it', person: { user: 'ann', groups: [' system:masters'] } },
  { because: 'a no-break space hides it', person: { user: '\u00A0system:admin', groups: [] } },
])('a name of the cluster itself is found: $because', ({ person }) => {
  expect(reservedNames(person)).toHaveLength(1);
});
