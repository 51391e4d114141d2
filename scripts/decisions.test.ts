/** Keeps the decisions in one form: each has its status and date under its title, and the index lists it by its title. */
import { describe, expect, test } from 'vitest';
import { readText, repositoryFiles } from './source-files.ts';

const FOLDER = 'docs/decisions/';
const DAY = String.raw`20\d\d-[01]\d-[0-3]\d`;
/** `Accepted, 2026-11-21; amended 2026-11-22.` or `Superseded by [26](0026-x.md), 2026-11-21.`; the date is the first one. */
const STATUS = new RegExp(
  String.raw`^(?:Accepted|Superseded by \[\d+\]\((?<successor>[\w.-]+)\)), (?<date>${DAY})(?:; amended ${DAY})*\.$`,
);

const decisions = repositoryFiles()
  .filter((path) => path.startsWith(FOLDER) && /^\d/.test(path.slice(FOLDER.length)))
  .toSorted()
  .map((path) => ({ file: path.slice(FOLDER.length), lines: (readText(path) ?? '').split('\n') }));

describe('the decisions', () => {
  test('are found', () => {
    expect(decisions.length).toBeGreaterThan(20);
  });

  test.each(decisions)(
    '$file has the number of its file, and its status and date under the title',
    ({ file, lines }) => {
      expect(lines[0]).toMatch(new RegExp(`^# ${Number.parseInt(file, 10)}\\. \\S`));
      expect(lines[1]).toBe('');
      expect(lines[2]).toMatch(STATUS);
      expect(lines[3]).toBe('');
    },
  );

  test('are superseded by decisions that exist', () => {
    const successors = decisions.flatMap(({ lines }) => successorOf(lines[2] ?? '') ?? []);
    expect(successors.filter((name) => !decisions.some(({ file }) => file === name))).toEqual([]);
  });

  test('are listed in the index, each with its title and in the order of their numbers', () => {
    const index = [...(readText(`${FOLDER}README.md`) ?? '').matchAll(/^- \[(.+)\]\(([^)]+)\)$/gm)];
    const listed = index.map(([, title, file]) => ({ title, file }));
    expect(listed).toEqual(decisions.map(({ file, lines }) => ({ title: lines[0]?.slice(2), file })));
  });
});

describe('the line of status and date', () => {
  test.each([
    { because: 'a decision that counts', line: 'Accepted, 2026-11-21.', accepted: true },
    { because: 'an amended one', line: 'Accepted, 2026-11-21; amended 2026-11-22.', accepted: true },
    { because: 'a reversed one', line: 'Superseded by [26](0026-x.md), 2026-11-21.', accepted: true },
    { because: 'no date', line: 'Accepted.', accepted: false },
    { because: 'no link to the successor', line: 'Superseded by 26, 2026-11-21.', accepted: false },
    { because: 'no status', line: '2026-11-21.', accepted: false },
    { because: 'an unknown status', line: 'Proposed, 2026-11-21.', accepted: false },
  ])('is checked for $because', ({ line, accepted }) => {
    expect(STATUS.test(line)).toBe(accepted);
  });

  test('names the successor', () => {
    expect(successorOf('Superseded by [26](0026-x.md), 2026-11-21.')).toBe('0026-x.md');
  });
});

function successorOf(line: string): string | undefined {
  return STATUS.exec(line)?.groups?.['successor'];
}
