/** Which containers of a Pod have a log. Pure. */
import type { KubeObject } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../../api/untyped.ts';

export interface LoggedContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** The lists of containers in the spec of a Pod, in the order of their start, with those of their states in its status. */
const LISTS = [
  { containers: 'initContainers', statuses: 'initContainerStatuses' },
  { containers: 'containers', statuses: 'containerStatuses' },
  { containers: 'ephemeralContainers', statuses: 'ephemeralContainerStatuses' },
] as const;

/**
 * The containers whose turn has come: one behind an init container has no log yet. One that cannot start is among them,
 * since the API server answers with the cause.
 */
export function containersOf({ metadata, spec, status }: KubeObject): readonly LoggedContainer[] {
  return LISTS.flatMap(({ containers, statuses }) => {
    const states = listOf(fieldsOf(status)[statuses]);
    return listOf(fieldsOf(spec)[containers])
      .map(({ name }) => textOf(name))
      .filter((name) => !isBehindOthers(states.find((one) => one['name'] === name)))
      .map((container) => ({ namespace: metadata.namespace ?? '', pod: metadata.name, container }));
  });
}

function isBehindOthers(state: Fields | undefined): boolean {
  const isFirstStart = Object.keys(fieldsOf(state?.['lastState'])).length === 0;
  return isFirstStart && fieldsOf(fieldsOf(state?.['state'])['waiting'])['reason'] === 'PodInitializing';
}
