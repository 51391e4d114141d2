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
import type { Action } from './actions.ts';
import { wantedBy } from './steps.ts';

export function describeDone(action: Action): string {
  if (action.kind === 'refresh') return describeReconcile('Catalog', action.catalog);
  if (action.kind === 'approve') return describeApproval(`${action.namespace}/${action.revision}`);
  const name = `${action.namespace}/${action.name}`;
  switch (action.kind) {
    case 'suspend':
    case 'resume':
      return describeSuspension(name, action.kind === 'suspend');
    case 'reconcile':
      return describeReconcile('Subscription', name);
    case 'acknowledge':
      return `The losses of Subscription ${name} up to now are acknowledged: they are no longer reported`;
    case 'rollback':
      return describeRollback(name, action.version);
    case 'subscribe':
      return describeInstall(name, action.package);
    case 'uninstall':
      return describeUninstall(name, action.objects === 'Orphan');
    default:
      return describeRequest(name, wantedBy(action));
  }
}
