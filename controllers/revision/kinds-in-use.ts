/**
 * Ends the watches of kinds of which no Revision lists an object any longer. A Revision that goes may be the last one, and so
 * may one that has pruned: an upgrade can drop a kind with its CRD, and a watch of that would be refused again and again.
 */
import { groupKind } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import type { TidyManagedObjects } from './managed-objects.ts';

/** Tidies up with each Revision that goes or lists less than before. */
export function tidyWith(
  revisions: Pick<Informer<Revision>, 'on' | 'list'>,
  managed: Pick<TidyManagedObjects, 'tidy'>,
): void {
  const tidy = (): void => {
    const all = revisions.list();
    const byManager = all.filter(({ spec }) => spec.serviceAccountName === undefined);
    managed.tidy(
      (kind) => all.some((one) => listsKind(one, kind)),
      (kind) => byManager.some((one) => listsKind(one, kind)),
    );
  };
  revisions.on({
    deleted: tidy,
    updated: (old, next) => {
      if (lengthOf(next) < lengthOf(old)) tidy();
    },
  });
}

function lengthOf({ status }: Revision): number {
  return status?.inventory?.length ?? 0;
}

function listsKind({ status }: Revision, kind: string): boolean {
  return status?.inventory?.some((entry) => groupKind(entry) === kind) === true;
}
