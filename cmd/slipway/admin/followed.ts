/** Follows a Subscription with its Revisions, for the screens that are printed again after each change. */
import type { CustomKind } from '../../../api/kind.ts';
import { REVISION, type Revision } from '../../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import type { Client } from '../../../kube/client/client.ts';
import { merged } from './merged.ts';
import { changesOf, type WatchChange } from './watch.ts';

export interface FollowedSubscription {
  /** Undefined once it is deleted. */
  readonly subscription: Subscription | undefined;
  /** By their number. */
  readonly revisions: readonly Revision[];
}

/** The Subscription and its Revisions, now and after each change, until the signal aborts. @throws as `changesOf` */
export async function* followSubscription(
  client: Client,
  { metadata: { namespace = '', name } }: Pick<Subscription, 'metadata'>,
  signal: AbortSignal,
): AsyncGenerator<FollowedSubscription> {
  let subscription: Subscription | undefined;
  const revisions = new Map<string, Revision>();
  const kinds = [SUBSCRIPTION, REVISION];
  const listed = new Set<CustomKind>();
  const sources = kinds.map((kind) => labelled(kind, changesOf({ client, kind, options: { namespace }, signal })));
  for await (const { kind, changes } of merged(sources)) {
    listed.add(kind);
    for (const { type, object } of changes) {
      if (object.kind === SUBSCRIPTION.kind && object.metadata.name === name)
        subscription = type === 'DELETED' ? undefined : (object as unknown as Subscription);
      if (object.kind !== REVISION.kind || (object as unknown as Revision).spec.subscription !== name) continue;
      if (type === 'DELETED') revisions.delete(object.metadata.name);
      else revisions.set(object.metadata.name, object as unknown as Revision);
    }
    if (listed.size < kinds.length) continue; // a Subscription whose Revisions are not read yet would look as if it had none
    yield {
      subscription,
      revisions: [...revisions.values()].toSorted((one, other) => one.spec.number - other.spec.number),
    };
  }
}

interface LabelledChanges {
  readonly kind: CustomKind;
  readonly changes: readonly WatchChange[];
}

async function* labelled(
  kind: CustomKind,
  source: AsyncGenerator<readonly WatchChange[]>,
): AsyncGenerator<LabelledChanges> {
  for await (const changes of source) yield { kind, changes };
}
