/** Objects that the author leaves out on purpose. */
import { ReasonedError } from '../../api/errors.ts';
import { groupKind } from '../../api/object.ts';
import type { Ledger } from './ledger.ts';
import type { SourceObject } from './source.ts';

/**
 * The objects that a list names by kind, `Job.batch`, or by kind and name, `Job.batch/migrate`.
 * @throws ReasonedError InputInvalid for a name that no object has; never worth a retry.
 */
export function leaveOutNamed(
  sources: readonly SourceObject[],
  ledger: Ledger,
  names: readonly string[],
): ReadonlySet<SourceObject> {
  const left = new Set<SourceObject>();
  for (const name of names) {
    const matching = sources.filter(({ object }) =>
      [groupKind(object), `${groupKind(object)}/${object.metadata.name}`].includes(name),
    );
    if (matching.length === 0) throw unknown(sources, name);
    for (const source of matching) {
      left.add(source);
      ledger.leaveOut(source, `--leave-out ${name}`);
    }
  }
  return left;
}

function unknown(sources: readonly SourceObject[], name: string): ReasonedError {
  const kinds = [...new Set(sources.map(({ object }) => groupKind(object)))].sort().slice(0, 20);
  return new ReasonedError({
    reason: 'InputInvalid',
    retry: 'never',
    message: `the source has no object ${JSON.stringify(name)} to leave out`,
    hint: `Name a kind, or a kind and a name as in Job.batch/migrate; the source has ${kinds.join(', ')}`,
  });
}
