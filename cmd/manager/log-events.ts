/** Writes each event to the log too, where administrators look who may not list events of all namespaces. */
import type { RecordEvent } from '../../controllers/events.ts';
import type { Log } from '../../kube/log.ts';

/** The same recorder; a Warning is a line of level warn, any other of level info. */
export function logEvents(log: Log, record: RecordEvent): RecordEvent {
  return (regarding, event) => {
    const { kind, metadata } = regarding;
    const { reason, action, note } = event;
    const { namespace, name } = metadata;
    const fields = { kind, ...(namespace !== undefined && { namespace }), name, reason, action };
    if (event.type === 'Warning') log.warn(fields, note);
    else log.info(fields, note);
    record(regarding, event);
  };
}
