/** Opens an address in the user's browser. */
import { spawn } from 'node:child_process';
import type { Environment } from '../environment.ts';

/** Resolves once the program was started; the address is printed in any case. */
export function openBrowser(address: string, { variables, complain }: Environment): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(program, [address], { stdio: 'ignore', detached: true, env: { ...variables } });
    child.once('error', () => {
      complain(`slipway: no browser can be opened (${program}): open the address by hand\n`);
      resolve();
    });
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
