/** Runs the health check for Argo CD by the Lua interpreter that Argo CD has built in. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../../cluster/run-tool.ts';
import { ROOT } from '../../lib/manager.ts';

export interface ArgoHealth {
  readonly status: string;
  readonly message: string;
}

/** The health of an object; `folder` takes the script. */
export async function argoHealthOf(glua: string, folder: string, object: unknown): Promise<ArgoHealth> {
  const check = readFileSync(join(ROOT, 'deploy/ci/argo-cd-health.lua'), 'utf8');
  const script = `obj = ${luaOf(object)}\nlocal function check()\n${check}\nend\nlocal health = check()\nprint(health.status)\nprint(health.message)\n`;
  const path = join(folder, 'health.lua');
  writeFileSync(path, script);
  const [status = '', ...message] = (await runTool(glua, { args: [path], env: {} })).trimEnd().split('\n');
  return { status, message: message.join('\n') };
}

/** Data as a value of Lua; each byte of a text that is no letter or digit is escaped. */
function luaOf(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string') return `"${[...Buffer.from(value)].map(escaped).join('')}"`;
  if (Array.isArray(value)) return `{${value.map(luaOf).join(', ')}}`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `[${luaOf(name)}] = ${luaOf(one)}`)
    .join(', ')}}`;
}

function escaped(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9 ]/.test(character) ? character : `\\${String(byte).padStart(3, '0')}`;
}
