/** The Kubernetes events that controllers record for people; the recorder in kube/ writes them. */
import type { KubeObject } from '../api/object.ts';
import type { Reason } from '../api/reasons.ts';

export interface EventFacts {
  readonly type: 'Normal' | 'Warning';
  readonly reason: Reason;
  /** The act that was done or tried, as one CamelCase word: `Install`, `Upgrade`, `Remove`. */
  readonly action: string;
  readonly note: string;
}

/** Records an event about an object; never fails and never waits. */
export type RecordEvent = (regarding: KubeObject, event: EventFacts) => void;
