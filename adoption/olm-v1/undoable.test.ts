/** What a person is advised to do about a version that comes next, before and after the pin of a way back. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { Subscription } from '../../api/subscription.ts';
import { BACKUP, NAME, ownOf } from './testing/handed-over.ts';
import { requireUndoable, type UndoableFacts } from './undoable.ts';
import type { WayBack } from './way-back.ts';

const wayBack: WayBack = { subscription: 'own', revision: 'gadget-1', bundle: 'gadget-operator.v1.0.0', version: '1.0.0', managed: [], extension: 'u', spec: {}, before: {} }; // prettier-ignore
const pending = { bundle: 'gadget-operator.v2', version: '2.0.0', reason: 'Progressing' };

function judge(spec: object, status: object, known?: WayBack): unknown {
  const own = ownOf({ spec, status: { pending, ...status } }) as Subscription;
  const facts: UndoableFacts = { name: NAME, backup: { ...BACKUP, isEnded: true }, wayBack: known, own, extension: undefined, issued: undefined, releases: [] }; // prettier-ignore
  try {
    return requireUndoable(facts);
  } catch (error) {
    if (error instanceof ReasonedError) return error.describe();
    throw error;
  }
}

describe('a version comes next', () => {
  test.each([
    {
      because: 'it begins if the Subscription stays as it is',
      spec: {},
      says: /gadget-operator\.v2 comes next\. Pin the version that is installed by spec\.version first$/,
    },
    {
      because: 'it had begun before a person pinned the installed one',
      spec: { version: '1.0.0' },
      says: /gadget-operator\.v2 is on its way although spec\.version is 1\.0\.0\. Wait until its Subscription is Ready/,
    },
    {
      because: 'it had begun before the command pinned the installed one',
      spec: { version: '1.0.0' },
      known: wayBack,
      says: /although spec\.version is 1\.0\.0\. Wait until .* Ready.* again.*slipway adopt undo gadget --from olm-v1 --stop/,
    },
    {
      because: 'the manager has not read the pin of a person yet',
      spec: { version: '1.0.0' },
      status: { observedGeneration: 0 },
      says: /has not acted on spec\.version 1\.0\.0 yet.* Wait until its Subscription is Ready/,
    },
  ])('and the way back waits for a person: $because', ({ spec, status = {}, known, says }) => {
    expect(judge(spec, status, known)).toMatch(says);
  });

  test('and the way back waits for the manager, which has not read its pin yet', () => {
    expect(judge({ version: '1.0.0' }, { observedGeneration: 0 }, wayBack)).toMatchObject({ version: '1.0.0' });
  });
});
