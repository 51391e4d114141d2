/** The end of a program, seen from outside. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const PROGRAM = new URL('./program.ts', import.meta.url).href;

test.each([
  { because: 'a rejection', fault: `Promise.reject(new Error('it has no handler'))`, origin: 'unhandledRejection' },
  {
    because: 'an error',
    fault: `setTimeout(() => { throw new Error('it has no handler') })`,
    origin: 'uncaughtException',
  },
])('$because that nothing handles is logged with its stack, and ends the program with exit code 1', (row) => {
  const script = `
    const { pino } = await import('pino');
    const { logCrash } = await import(${JSON.stringify(PROGRAM)});
    logCrash(pino(pino.destination({ sync: true })));
    ${row.fault};
    await new Promise((resolve) => setTimeout(resolve, 10_000));`;
  const args = ['--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({
    level: 50,
    origin: row.origin,
    err: { message: 'it has no handler', stack: expect.stringMatching(/\n +at /) },
  });
  expect(stderr).toContain('it has no handler');
  expect(status).toBe(1);
});
