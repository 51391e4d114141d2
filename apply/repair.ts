/**
 * Whether a run only repairs: each object was applied before as it is. The cluster then has nothing half new, so an object
 * that is refused, as by a policy that is newer, need not keep the others from being made again. Pure.
 */
import { refOf, type KubeObject } from '../api/object.ts';
import type { ApplyRun } from './apply-run.ts';
import { identityOf } from './identity.ts';
import { hashObject } from './prepare.ts';

/** False for the first run of an installation, of an upgrade or of a rollback, and for each that goes on with it. */
export function isRepair({ request, known }: Pick<ApplyRun, 'request' | 'known'>): boolean {
  return request.objects.every((object) => wasApplied(object, { request, known }));
}

function wasApplied(object: KubeObject, { request, known }: Pick<ApplyRun, 'request' | 'known'>): boolean {
  const identity = identityOf(refOf(object));
  const entry = known.get(identity);
  if (entry === undefined || entry.uid === '' || entry.leftover === true) return false;
  return entry.hash === hashObject(object) || request.completed?.has(identity) === true;
}
