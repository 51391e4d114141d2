/** Serves a catalog of 30 MB as the manager does, as a process of its own, so that its memory can be measured. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { buildIndex } from '../../../catalog/index/build.ts';
import { openIndex } from '../../../catalog/index/open.ts';
import { createLending } from '../../../catalog/lending.ts';
import { createMetrics } from '../metrics.ts';
import { parseOptions } from '../options.ts';
import { startServing } from '../serving.ts';

const options = parseOptions(process.argv.slice(2), {});
const target = join(options['data-folder'], 'big.db');
const text = (): string => randomBytes(5000).toString('base64');
const documents = Array.from({ length: 4500 }, (_, n) =>
  JSON.stringify({ schema: 'filler', name: `n${n}`, text: text() }),
);
await buildIndex({ files: [{ path: 'a.json', content: Buffer.from(documents.join('\n')) }], target });
documents.length = 0;
const index = openIndex(target);
const lending = createLending(() => index.close());
await using _serving = await startServing({
  options,
  content: {
    borrow: (name) => (name === 'big' ? { digest: 'sha256:big', index, release: lending.lend() } : undefined),
  },
  checks: { ready: new Map(), live: new Map() },
  metrics: createMetrics().metrics,
  log: pino(pino.destination({ sync: true })),
});
await new Promise((resolve) => process.once('SIGTERM', resolve));
rmSync(target);
