import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { renderManPages } from './man-pages.ts';

const pages = renderManPages();
const hasGroff = spawnSync('groff', ['--version']).status === 0;

test('each command has a page, and the program lists all of them', () => {
  const names = [...pages.keys()];
  expect(names).toEqual(
    expect.arrayContaining(['slipway.1', 'slipway-get.1', 'slipway-bundle-render.1', 'slipway-version.1']),
  );
  expect(names.filter((name) => name.includes('__'))).toEqual([]);
  for (const name of names.filter((one) => one !== 'slipway.1'))
    expect(pages.get('slipway.1')).toContain(`.BR ${name.replace(/\.1$/, '').replaceAll('-', '\\-')} (1)`);
});

test.each([...pages])('%s has the sections of a manual', (_, page) => {
  for (const title of ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'EXIT STATUS']) expect(page).toContain(`\n.SH ${title}\n`);
  const odd = page
    .split('\n')
    .filter((line) => /^['.]/.test(line) && !/^\.(?:\\"|TH|SH|TP|BR?|I|nf|fi)(?: |$)/.test(line));
  expect(odd).toEqual([]);
});

test.runIf(hasGroff)('groff formats all pages without a warning', () => {
  const input = [...pages.values()].join('');
  const { status, stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww'], { input, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.match(/^SLIPWAY\S*\(1\)/gm)?.length).toBeGreaterThanOrEqual(pages.size);
});
