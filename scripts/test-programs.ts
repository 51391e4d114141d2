/**
 * The programs that stories run as processes. Before the stories, e2e/lib/bundle-programs.ts bundles them as they are released: so
 * they start in a third of the processor's time, several hundred times. Other callers run the sources.
 */
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** The variable that names the folder of the bundles. */
export const BUNDLES_VARIABLE = 'SLIPWAY_TEST_PROGRAMS';

/** The JavaScript file that Node runs for a program. */
export function programFile(name: 'manager' | 'slipway'): string {
  const folder = process.env[BUNDLES_VARIABLE];
  return folder === undefined ? join(ROOT, 'cmd', name, 'main.ts') : join(folder, name, `${name}-main.js`);
}
