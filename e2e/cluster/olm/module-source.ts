/** Finds the source of a Go module that programs of a test cluster were built from; it has the CRDs. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The folder of the module's source, downloaded if need be. `folder` is one under `modules/`. */
export async function moduleSource(folder: string, module: string): Promise<string> {
  const cwd = join(import.meta.dirname, '../modules', folder);
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOWORK: 'off' };
  const run = promisify(execFile);
  const find = async (): Promise<string> =>
    (await run('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd, env })).stdout.trim();
  const found = await find();
  if (found !== '' && existsSync(found)) return found;
  await run('go', ['mod', 'download', module], { cwd, env });
  return find();
}
