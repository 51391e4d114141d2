/** Keeps the list of names on objects in docs/api.md complete. */
import { expect, test } from 'vitest';
import { GROUP } from '../api/names.ts';
import { isSource, readText, repositoryFiles } from './source-files.ts';

const PROGRAMS = /^(?:adoption|api|apply|cmd|console|controllers)\//;
/** Versions of the API, the image of the manager, and the audience of tokens. */
const OTHER = /\/(?:v\d.*|manager|catalogs)$/;

test('docs/api.md lists every label, annotation, finalizer and type of Secrets', () => {
  const sources = repositoryFiles().filter(
    (path) => PROGRAMS.test(path) && isSource(path) && !/\.test\.tsx?$|\/testing\//.test(path),
  );
  const names = sources.flatMap((path) => [
    ...(readText(path) ?? '').matchAll(new RegExp(`['"\`]${GROUP}/[a-z0-9-]+['"\`]`, 'g')),
  ]);
  const found = new Set(names.map(([name]) => name.slice(1, -1)).filter((name) => !OTHER.test(name)));
  expect(found.size).toBeGreaterThan(20);
  const page = readText('docs/api.md') ?? '';
  expect([...found].filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});
