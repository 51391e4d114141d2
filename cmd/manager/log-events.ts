/** Also writes each event to the log, for administrators who may not list events of all namespaces. */
import type { Reason } from '../../api/reasons.ts';
import type { RecordEvent } from '../../controllers/events.ts';
import type { Log } from '../../kube/log.ts';

/** What cannot be made good by waiting or repairing. */
const LOSSES: ReadonlySet<Reason> = new Set(['CustomResourcesLost']);

/** The same recorder; the loss of data is a line of level error, any other Warning of level warn, all else of level info. */
export function logEvents(log: Log, record: RecordEvent): RecordEvent {
  return (regarding, event) => {
    const { kind, metadata } = regarding;
    const { reason, action, note } = event;
    const { namespace, name } = metadata;
    const fields = { kind, ...(namespace !== undefined && { namespace }), name, reason, action };
    if (LOSSES.has(reason)) log.error(fields, note);
    else if (event.type === 'Warning') log.warn(fields, note);
    else log.info(fields, note);
    record(regarding, event);
  };
}
