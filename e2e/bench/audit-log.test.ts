import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readAudit } from './audit-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

function lineOf(username: string, name: string): string {
  const at = '2026-01-01T00:00:00.000000Z';
  return JSON.stringify({
    verb: 'get',
    requestURI: `/api/v1/namespaces/ops/secrets/${name}`,
    user: { username },
    objectRef: { resource: 'secrets', name },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: at,
    stageTimestamp: at,
  });
}

test('the requests of a user are read also from the files that the API server has put aside', () => {
  writeFileSync(
    join(folder, 'audit-2026-01-01T00-00-00.000.jsonl'),
    `${lineOf('manager', 'a')}\n${lineOf('other', 'b')}\n`,
  );
  writeFileSync(join(folder, 'audit.jsonl'), `${lineOf('manager', 'c')}\n`);
  writeFileSync(join(folder, 'apiserver.log'), 'manager');
  expect(readAudit(folder, 'manager').map(({ name }) => name)).toEqual(['a', 'c']);
});
