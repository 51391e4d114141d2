/** The sentence that reports an act once the API server has accepted it: that of the command line. Pure. */
import {
  describeApproval,
  describeInstall,
  describeReconcile,
  describeRequest,
  describeRollback,
  describeSuspension,
  describeUninstall,
} from '../../report/act-sentences.ts';
import { describeDelay, type RequestedObject } from '../../report/delay.ts';
import type { Action } from './actions.ts';
import { wantedBy } from './steps.ts';

/** @param answer The object that the act has written, as the API server returns it */
export function describeDone(
  action: Action,
  answer?: { readonly object: RequestedObject; readonly now: Date },
): string {
  const delay = answer && describeDelay(answer.object, answer.now);
  if (action.kind === 'refresh') return describeReconcile('Catalog', action.catalog, delay);
  if (action.kind === 'approve') return describeApproval(`${action.namespace}/${action.revision}`, undefined, delay);
  const name = `${action.namespace}/${action.name}`;
  switch (action.kind) {
    case 'suspend':
    case 'resume':
      return describeSuspension(name, action.kind === 'suspend');
    case 'reconcile':
      return describeReconcile('Subscription', name, delay);
    case 'acknowledge':
      return `The losses of Subscription ${name} up to now are acknowledged: they are no longer reported`;
    case 'rollback':
      return describeRollback(name, {
        version: action.version,
        left: answer?.object.status?.installed?.version,
        delay,
      });
    case 'subscribe':
      return describeInstall(name, action.package, action.approval === 'Manual');
    case 'uninstall':
      return describeUninstall(name, action.objects === 'Orphan');
    default:
      return describeRequest(name, wantedBy(action), delay);
  }
}
