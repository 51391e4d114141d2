/** What other users of the machine see while a browser is opened. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../kube/testing/eventually.ts';
import type { Environment } from '../environment.ts';
import { openBrowser } from './open-browser.ts';

const ADDRESS = 'http://127.0.0.1:4000/login/start?token=secret-token_1';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-open-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** With programs that write their arguments and environment into a file of the folder. */
function environmentWith(programs: readonly string[]) {
  const complaints: string[] = [];
  for (const name of programs) {
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/part && /bin/mv ${folder}/part ${folder}/arguments\n`,
    );
    chmodSync(join(folder, name), 0o755);
  }
  const environment = { variables: { PATH: folder }, temporary: folder, complain: (text: string) => void complaints.push(text) }; // prettier-ignore
  return { environment: environment as unknown as Environment, complaints };
}

describe('the program that opens the browser', () => {
  test('has no part of the address among its arguments, and a page that leads there', async () => {
    const { environment, complaints } = environmentWith(['xdg-open', 'open']);
    const page = await openBrowser(ADDRESS, environment);
    const [file = '', ...more] = await eventually(() => {
      const path = join(folder, 'arguments');
      return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : undefined;
    });
    expect({ more, complaints }).toEqual({ more: [], complaints: [] });
    expect(file).not.toMatch(/token|4000/);
    expect(readFileSync(file, 'utf8')).toContain(`content="0; url=${ADDRESS}"`);
    expect([file, dirname(file)].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0]);
    await page[Symbol.asyncDispose]();
    expect(existsSync(dirname(file))).toBe(false);
  });

  test.each([
    { because: 'the program is missing', change: {} },
    { because: 'no page can be written', change: { temporary: '/nowhere/at/all' } },
  ])('is not needed, since the address can be opened by hand: $because', async ({ change }) => {
    const { environment, complaints } = environmentWith([]);
    await using _page = await openBrowser(ADDRESS, { ...environment, ...change });
    expect(complaints).toEqual([expect.stringContaining('open the address by hand')]);
  });
});
