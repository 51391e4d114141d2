/** The memory of a way back is read as it was written, beside the backup, which stays. */
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../api/untyped.ts';
import { pack } from '../packed.ts';
import { readBackup, writeBackup } from './backup.ts';
import { BACKUP, NAME } from './testing/handed-over.ts';
import { forgetWayBack, keepWayBack, readWayBack, type WayBack } from './way-back.ts';

const secret = writeBackup(BACKUP, NAME.kept);
const wayBack: WayBack = {
  subscription: 'u1',
  revision: 'gadget-2',
  bundle: 'gadget-operator.v1.0.0',
  version: '1.0.0',
  managed: [{ apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'one' }],
  extension: 'u2',
  spec: { namespace: 'ops', config: { configType: 'Inline', inline: { watchNamespace: 'ops' } } },
  before: { version: '1.x', objects: 'Delete' },
};
const withData = (data: unknown) => ({ ...secret, data: { ...fieldsOf(secret['data']), ...fieldsOf(data) } });

test('a way back is read as it was written, and the backup is as before', () => {
  const kept = withData(keepWayBack(wayBack)['data']);
  expect(readWayBack(kept)).toEqual(wayBack);
  expect(readBackup(kept, NAME)).toEqual(BACKUP);
});

test('no way back has begun, or it was given up', () => {
  expect(readWayBack(secret)).toBeUndefined();
  expect(forgetWayBack()).toEqual({ data: { 'way-back.json.gz': null } });
});

describe('a way back that a person has changed is refused', () => {
  test.each([
    { because: 'it is no compressed text', content: 'aGVsbG8=' },
    { because: 'it lacks fields', content: pack({ subscription: 'u1' }) },
  ])('$because', ({ content }) => {
    expect(() => readWayBack(withData({ 'way-back.json.gz': content }))).toThrow(
      expect.objectContaining({ reason: 'InputInvalid' }) as Error,
    );
  });
});
