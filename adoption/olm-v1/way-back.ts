/**
 * The memory of a way back to OLM v1, beside the backup in the same Secret. The backup stays as it is, so that no program
 * takes the hand-over for one that has not ended. Pure.
 */
import * as z from 'zod';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { pack, StoredRef, unpackOrNothing, WAY_BACK_KEY } from '../packed.ts';

/** Kept before OLM is offered the operator: from then on an uninstall by Slipway is held, as OLM would install it again. */
export interface WayBack {
  /** uid of Slipway's Subscription. */
  readonly subscription: string;
  /** Name of its active Revision, whose objects are listed. */
  readonly revision: string;
  /** The bundle that is installed. */
  readonly bundle: string;
  readonly version: string;
  /** The objects that Slipway manages. */
  readonly managed: readonly ObjectRef[];
  /** uid of the ClusterExtension that OLM was offered; empty before it is created. */
  readonly extension: string;
  /** `spec` of the ClusterExtension once the way back has ended. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Fields of the Subscription that the way back changes, as they were. */
  readonly before: { readonly version?: string | undefined; readonly objects?: string | undefined };
}

const StoredWayBack = z.object({
  subscription: z.string(),
  revision: z.string(),
  bundle: z.string(),
  version: z.string(),
  managed: z.array(StoredRef),
  extension: z.string(),
  spec: z.record(z.string(), z.unknown()),
  before: z.object({ version: z.string().optional(), objects: z.string().optional() }),
});

/**
 * The two fields of Slipway's Subscription without the pin of its way back. A value that a person has written since the pin
 * is left as it is.
 */
export function withoutPin(subscription: KubeObject, wayBack: WayBack | undefined): WayBack['before'] {
  const { version, objects } = pinnedFields(subscription);
  if (wayBack === undefined) return { version, objects };
  const { before } = wayBack;
  return {
    version: version === wayBack.version ? before.version : version,
    objects: objects === PINNED_OBJECTS ? before.objects : objects,
  };
}

/** Whether a Subscription names this version only, and leaves its objects when it is deleted. */
export function isPinned(subscription: KubeObject, version: string): boolean {
  const fields = pinnedFields(subscription);
  return fields.version === version && fields.objects === PINNED_OBJECTS;
}

const PINNED_OBJECTS = 'Orphan';

function pinnedFields(subscription: KubeObject): WayBack['before'] {
  const spec = fieldsOf(subscription['spec']);
  const [version, objects] = [spec['version'], fieldsOf(spec['uninstall'])['objects']].map(textOf);
  return { ...(version !== '' && { version }), ...(objects !== '' && { objects }) };
}

/** The patch of a backup's Secret by which the way back is kept. */
export function keepWayBack(wayBack: WayBack): Readonly<Record<string, unknown>> {
  return { data: { [WAY_BACK_KEY]: pack(wayBack) } };
}

/** The patch of a backup's Secret by which the way back is given up. */
export function forgetWayBack(): Readonly<Record<string, unknown>> {
  return { data: { [WAY_BACK_KEY]: null } };
}

/** Whether a way back has begun; a list that a person has damaged counts too. */
export function hasWayBack(secret: KubeObject): boolean {
  return fieldsOf(secret['data'])[WAY_BACK_KEY] !== undefined;
}

/**
 * The way back that the Secret of a backup keeps; undefined if none has begun.
 * @throws ReasonedError InputInvalid, not retried, if a person changed it so that it cannot be read
 */
export function readWayBack(secret: KubeObject): WayBack | undefined {
  if (!hasWayBack(secret)) return undefined;
  const parsed = StoredWayBack.safeParse(unpackOrNothing(fieldsOf(secret['data'])[WAY_BACK_KEY]));
  if (parsed.success) return parsed.data as WayBack;
  throw new ReasonedError({
    reason: 'InputInvalid',
    retry: 'never',
    message: `the way back in ${describeRef(refOf(secret))} cannot be read: ${WAY_BACK_KEY} is not as it was written`,
    hint: 'Restore the Secret from a backup of the cluster',
  });
}
