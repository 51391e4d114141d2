/**
 * Finds unused code twice (`npm run unused`): in the whole repository, and in the code that ships, in which an export
 * that only tests call counts as unused. The tag `@unshipped`, with a reason, excepts an export from the second.
 */
import type { KnipConfig } from 'knip';

export default function configure({ production = false }: { readonly production?: boolean } = {}): KnipConfig {
  return {
    entry: [
      'cmd/*/main.ts!',
      'console/browser/main.tsx!',
      'bundles/examples/*/program/main.ts!',
      'e2e/*/main.ts',
      'e2e/chaos/moved-clock.ts',
      'e2e/cluster/olm/answer-services.ts',
      'scripts/*.ts',
      'catalog/index/worker.ts!',
      'e2e/cluster/**/testing/owner.ts',
      'bundles/testing/another-day.ts',
      'cmd/manager/testing/readers-server.ts',
      'controllers/subscription/testing/deep-neighbour.ts',
    ],
    project: ['**/*.{ts,tsx}!', '!**/testing/**!', '!{e2e,scripts}/**!'],
    // Unit tests may call a function that is otherwise used in its own file only.
    ignoreExportsUsedInFile: production,
    tags: production ? ['-unshipped'] : [],
    // its text is given to the browser, so no file imports it
    ignoreDependencies: ['axe-core'],
    ignoreBinaries: ['go', 'groff', 'ip', 'mkfifo', 'setpriv', 'xz'],
    rules: { types: 'off' },
  };
}
