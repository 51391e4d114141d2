/** The events of Slipway's objects. Pure. */
import { compareText } from '../api/compare-text.ts';
import { GROUP } from '../api/names.ts';
import { groupOf, type KubeObject } from '../api/object.ts';
import { fieldsOf, numberOf, textOf } from '../api/untyped.ts';

/** Objects by kind and name; undefined for all objects of Slipway. */
export type WantedEvents = ReadonlySet<string> | undefined;

export interface ReportedEvent {
  readonly namespace: string;
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  /** `Subscription beacon` */
  readonly object: string;
  readonly message: string;
  /** How many times it was recorded. */
  readonly count: number;
}

export interface EventFilter {
  readonly wanted: WantedEvents;
  readonly warnings: boolean;
}

/** The events about Slipway's objects, the oldest first. */
export function reportedEvents(
  objects: readonly KubeObject[],
  { wanted, warnings }: EventFilter,
): readonly ReportedEvent[] {
  return objects
    .flatMap((object) => {
      const regarding = fieldsOf(object['regarding']);
      const about = `${textOf(regarding['kind'])} ${textOf(regarding['name'])}`;
      const isOurs = groupOf(textOf(regarding['apiVersion'])) === GROUP && (wanted?.has(about) ?? true);
      if (!isOurs || (warnings && object['type'] !== 'Warning')) return [];
      return [describeEvent(object, about)];
    })
    .toSorted((one, other) => compareText(one.time, other.time));
}

function describeEvent(object: KubeObject, about: string): ReportedEvent {
  const series = fieldsOf(object['series']);
  const time = textOf(series['lastObservedTime']) || textOf(object['eventTime']) || textOf(object['deprecatedLastTimestamp']); // prettier-ignore
  return {
    namespace: object.metadata.namespace ?? '',
    time: time || (object.metadata.creationTimestamp ?? ''),
    type: textOf(object['type']),
    reason: textOf(object['reason']),
    object: about,
    message: textOf(object['note']),
    count: numberOf(series['count']) ?? 1,
  };
}
