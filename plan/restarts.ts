/** Finds the workloads whose Pods a change replaces. Pure. */
import { canonicalJson } from '../api/json.ts';
import { refOf } from '../api/object.ts';
import { fieldsOf } from '../api/untyped.ts';
import type { Restart } from './model.ts';
import type { ObjectPair } from './objects.ts';
import { podsOf } from './pods.ts';

/** The changed workloads with another template for their Pods. */
export function planRestarts(changed: readonly ObjectPair[]): readonly Restart[] {
  return changed.flatMap(({ before, after }) => {
    const [old, next] = [podsOf(before)[0], podsOf(after)[0]];
    if (old === undefined || next === undefined || canonicalJson(old.template) === canonicalJson(next.template))
      return [];
    const { strategy } = fieldsOf(after['spec']);
    const withDowntime = fieldsOf(strategy)['type'] === 'Recreate';
    const because = withDowntime
      ? 'the template of its Pods changes, and its strategy Recreate ends all old Pods first'
      : 'the template of its Pods changes';
    return [{ ref: refOf(after), withDowntime, because }];
  });
}
