/**
 * Whether a run only repairs: each object was applied before as it is. The cluster then has nothing half new, so an object
 * that is refused, as by a policy that is newer, need not keep the others from being made again. Pure.
 */
import { refOf } from '../api/object.ts';
import type { ApplyRun } from './apply-run.ts';
import { identityOf } from './identity.ts';
import { hashObject } from './prepare.ts';

/**
 * False for the first run of an installation, of an upgrade or of a rollback, and for each that goes on with it. Also if a refused
 * object is new itself, as the Secret of a new certificate: Pods would be replaced, and conversions trusted, for one that is not there.
 *
 * @param refused Identities.
 */
export function isRepair(
  { request, known }: Pick<ApplyRun, 'request' | 'known'>,
  refused: ReadonlySet<string>,
): boolean {
  return request.objects.every((object) => {
    const identity = identityOf(refOf(object));
    const entry = known.get(identity);
    if (entry === undefined || entry.uid === '' || entry.leftover === true) return false;
    return entry.hash === hashObject(object) || (request.completed?.has(identity) === true && !refused.has(identity));
  });
}
