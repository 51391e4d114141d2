/** Decides which kinds of objects the manager may watch. Pure. */
import type { Kind } from '../../api/object.ts';
import { isRenderedKind } from '../../bundles/render/rendered-kinds.ts';

/**
 * Whether the manager has the right to watch a kind: its rights (deploy/rbac) name exactly the kinds that bundles
 * render to. An object of another kind, such as one that a person wrote into a Revision by hand or the same kind of
 * another group, is read when it is needed.
 */
export function mayWatch(kind: Kind): boolean {
  return isRenderedKind(kind);
}
