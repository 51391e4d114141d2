/**
 * The bounds of `spec.config` in the manager, and of the labels and annotations beside it. Every reconcile reads the Subscriptions
 * of others: one that is as large or as deep as the API server takes must cost them neither memory nor time. The CRD has bounds of
 * its own, but an older CRD may be in place, and their product is large. A configuration beyond the bounds is replaced by a mark:
 * its Subscription alone is InvalidSpec, and is still uninstalled. Pure; called for the cache, for hashes and before a bundle is
 * rendered.
 */
import { ReasonedError } from '../api/errors.ts';
import { keyOfObject, type KubeObject } from '../api/object.ts';
import { ANNOTATION, LABEL } from '../api/names.ts';
import type { Subscription } from '../api/subscription.ts';
import { isRecord } from '../api/untyped.ts';
import { beginningOf } from '../apply/short-text.ts';
import { dropManagedFields } from '../kube/watch/informer.ts';

/** A real configuration has a few hundred values, and no field of it is deeper than 16 levels. */
export const CONFIG_BOUNDS = { levels: 32, values: 20_000, characters: 512 * 1024 } as const;

/** Stands for a configuration beyond the bounds. The API server keeps no such field, so no user can write it. */
interface UnusableConfig {
  readonly unusable: string;
}

type Config = Subscription['spec']['config'];

/** The configuration, or its mark. */
export function boundedConfig(config: Config): Config | UnusableConfig {
  const problem = config === undefined ? undefined : problemOfConfig(config);
  return problem === undefined ? config : { unusable: problem };
}

/** @throws ReasonedError InvalidSpec for a configuration beyond the bounds, never retried */
export function requireUsableConfig(subscription: Subscription): void {
  const { config } = subscription.spec;
  const problem = config === undefined ? undefined : problemOfConfig(config);
  if (problem === undefined) return;
  throw new ReasonedError({
    reason: 'InvalidSpec',
    retry: 'never',
    message: `spec.config of Subscription ${keyOfObject(subscription)} ${problem}`,
    hint: 'Shorten spec.config, or move its content to ConfigMaps; the operator stays as it is until then',
  });
}

/** The part of a Subscription that the cache keeps: as of a Revision, and the mark in place of a configuration beyond the bounds. */
export function keepOfSubscription(object: KubeObject): KubeObject {
  const kept = keepOfRevision(object);
  const { spec } = kept as KubeObject & { readonly spec?: unknown };
  if (!isRecord(spec) || spec['config'] === undefined) return kept;
  return { ...kept, spec: { ...spec, config: boundedConfig(spec['config'] as Config) } };
}

/**
 * The part of a Revision that the cache keeps: no managed fields, and the labels and annotations that are read. Tenants may fill an
 * object with others, and labels take six times their bytes in memory.
 */
export function keepOfRevision(whole: KubeObject): KubeObject {
  const object = dropManagedFields(whole);
  const { labels, annotations, ...metadata } = object.metadata;
  const texts = {
    ...(labels !== undefined && { labels: readOf(labels, LABELS) }),
    ...(annotations !== undefined && { annotations: readOf(annotations, ANNOTATIONS) }),
  };
  return { ...object, metadata: { ...metadata, ...texts } };
}

const [LABELS, ANNOTATIONS] = [Object.values<string>(LABEL), Object.values<string>(ANNOTATION)];

/** More characters than any of them has that means something. */
const MOST_OF_TEXT = 512;

function readOf(texts: Readonly<Record<string, string>>, keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    keys.flatMap((key) => (texts[key] === undefined ? [] : [[key, beginningOf(texts[key], MOST_OF_TEXT)]])),
  );
}

function problemOfConfig(config: object): string | undefined {
  if ('unusable' in config && typeof config.unusable === 'string') return config.unusable;
  return problemOfSize(config);
}

/** Counts without recursion, and stops at the first bound that is passed. */
function problemOfSize(config: object): string | undefined {
  const { levels, values, characters } = CONFIG_BOUNDS;
  const left: (readonly [value: unknown, level: number])[] = [[config, 1]];
  const found = { values: 1, characters: 0 };
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [value, level] = next;
    if (typeof value === 'string') found.characters += value.length;
    else if (typeof value === 'object' && value !== null) {
      const names = Array.isArray(value) ? [] : Object.keys(value);
      const below: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
      found.values += below.length;
      if (level > levels) return `is nested more than ${levels} levels deep`;
      if (found.values > values) return `has more than ${values} values`;
      for (const name of names) found.characters += name.length;
      for (const one of below) left.push([one, level + 1]);
    }
    if (found.characters > characters) return `has more than ${characters} characters`;
  }
  return undefined;
}
