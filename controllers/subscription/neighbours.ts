/**
 * What the other Subscriptions have installed or are about to install, as far as dependencies go: who provides what,
 * and who needs what. Pure.
 */
import { parseJson } from '../../api/json.ts';
import { LABEL } from '../../api/names.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Property } from '../../catalog/model.ts';
import type { InstalledPackage } from '../../resolver/input.ts';

/** A Subscription with its Revisions. */
export interface Neighbour {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
}

/**
 * What a Subscription has to do with the dependencies of others; undefined where it has nothing installed and nothing
 * under way. What is about to be installed counts for what it needs, so that nothing it needs is taken away.
 */
export function describePackage({ subscription, revisions }: Neighbour): InstalledPackage | undefined {
  const installed = revisions.find(({ metadata }) => metadata.name === subscription.status?.installed?.revision);
  const waiting = revisions.findLast(({ spec }) => spec.number > (installed?.spec.number ?? 0));
  if (installed === undefined) return undefined;
  const coming = waiting === undefined ? [] : propertiesOf(waiting).filter(({ type }) => isRequirement(type));
  return describe(subscription, installed, [...propertiesOf(installed), ...coming]);
}

/** What a Subscription is about to install for the first time: it needs what it needs, and provides nothing yet. */
export function describeComing({ subscription, revisions }: Neighbour): InstalledPackage | undefined {
  const coming = revisions.at(-1);
  if (coming === undefined || subscription.status?.installed !== undefined) return undefined;
  return describe(
    subscription,
    coming,
    propertiesOf(coming).filter(({ type }) => isRequirement(type)),
  );
}

/** Whether a Subscription was made for those that depend on its package. */
export function isDependency({ metadata }: Subscription): boolean {
  return metadata.labels?.[LABEL.dependency] === 'true';
}

function describe(subscription: Subscription, { spec }: Revision, properties: readonly Property[]): InstalledPackage {
  const { package: name, bundle, version, release, catalog, image } = spec;
  return {
    package: name,
    bundle,
    version,
    catalog,
    image,
    properties,
    dependency: isDependency(subscription),
    subscription: keyOfObject(subscription),
    ...(release !== undefined && { release }),
  };
}

/** Parsed once for each Revision: its spec never changes. */
const parsed = new WeakMap<object, readonly Property[]>();

/** What a Revision provides and needs. */
export function propertiesOf({ spec }: Revision): readonly Property[] {
  const stored = spec.properties;
  if (stored === undefined) return [];
  const known = parsed.get(stored);
  if (known !== undefined) return known;
  const properties = stored.map(({ type, value }) => ({ type, value: parseJson(value) }));
  parsed.set(stored, properties);
  return properties;
}

/** Whether a property of this type says what a bundle needs. */
export function isRequirement(type: string): boolean {
  return type.endsWith('.required') || type === 'olm.constraint';
}
