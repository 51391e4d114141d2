/** Keeps a picture of each view of the console in its documentation, and all of them small. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { LOOKS } from '../../console/browser/testing/browser.ts';
import { pictureOf, VIEWS } from './pictures.ts';
import { readText, repositoryFiles } from '../../scripts/source-files.ts';

const MOST_BYTES = 1_500_000;
const FOLDER = 'docs/images/console/';

const wanted = VIEWS.flatMap((view) => Object.keys(LOOKS).map((look) => pictureOf(view, look)));
const found = repositoryFiles().filter((path) => path.startsWith(FOLDER));

test('there is a picture of each view: light, dark and narrow, and no other one', () => {
  expect(found.toSorted()).toEqual(wanted.toSorted());
});

test.each(wanted)('the documentation of the console shows %s', (path) => {
  expect(readText('docs/console.md')).toContain(`(${path.slice('docs/'.length)})`);
});

test('the pictures are smaller than 1.5 MB together', () => {
  const sizes = found.map((path) => statSync(resolve(import.meta.dirname, '../..', path)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
});
