/** Opens an address in the user's browser. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';

/**
 * Resolves once the program was started; the address is printed in any case. All users of a machine can read the arguments
 * of programs, so the program gets the name of a page that leads to the address, and that only this user can read. The page
 * is there until the result is disposed of.
 */
export async function openBrowser(address: string, environment: Environment): Promise<AsyncDisposable> {
  const page = new PrivatePage();
  const problem = await page
    .write(environment.temporary, pageTo(address))
    .then((file) => startProgram(file, environment))
    .catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
  if (problem !== undefined)
    environment.complain(`slipway: no browser can be opened (${problem}): open the address by hand\n`);
  return page;
}

/** State: the folder of a page that only this user can read. */
class PrivatePage implements AsyncDisposable {
  #folder: string | undefined;

  async write(temporary: string, text: string): Promise<string> {
    this.#folder = await mkdtemp(join(temporary, 'slipway-ui-'));
    const file = join(this.#folder, 'open.html');
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The name of the program if it cannot be started. */
function startProgram(file: string, { variables }: Environment): Promise<string | undefined> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(program, [file], { stdio: 'ignore', detached: true, env: { ...variables } });
    child.once('error', () => resolve(program));
    child.once('spawn', () => {
      child.unref();
      resolve(undefined);
    });
  });
}

/** The address is of this program: it has no character that HTML would read in another way. */
function pageTo(address: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Slipway</title>
<p><a href="${address}">Open the console</a></p>
</html>
`;
}
