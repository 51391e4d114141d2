/**
 * The Subscriptions of a file with manifests, as it lies in Git, and the same file with other versions. Only the
 * characters of the versions are replaced. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { SCALAR_STYLE, YAMLException } from 'js-yaml';
import { isSubscription } from '../../input/subscription.ts';
import { parseObject } from '../../../../api/kind.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { SUBSCRIPTION, type Subscription } from '../../../../api/subscription.ts';
import { isRecord, itemsOf } from '../../../../api/untyped.ts';
import { DEFAULT_YAML_LIMITS, parseYaml, YamlError } from '../../../../bundles/yaml.ts';
import { isText } from '../../../../bundles/yaml/scalar.ts';
import { splitDocuments } from '../../../../bundles/yaml/split.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import { nodeAt, parseNodes, type YamlNode } from './yaml-nodes.ts';

export interface ManifestSubscription {
  readonly subscription: Subscription;
  /** Where `spec.version` is in the text; absent if the Subscription has none, or if it cannot be replaced alone. */
  readonly place?: VersionPlace;
}

export interface VersionPlace {
  readonly start: number;
  readonly end: number;
  /** Whether quotes surround it. */
  readonly quoted: boolean;
}

/**
 * The Subscriptions of a file; other documents are ignored. @throws ReasonedError InputInvalid, with the name of the file,
 * if it is no YAML; InvalidSpec for a Subscription that the API server would reject
 */
export function parseManifest(file: string, text: string): readonly ManifestSubscription[] {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    const documents = splitDocuments(body, DEFAULT_YAML_LIMITS.maxDocuments);
    return parseYaml(body).flatMap(({ index, value }) => {
      const { start = 0, text: part = '' } = documents[index - 1] ?? {};
      const found = subscriptionsIn(value);
      const root = found.length === 0 ? undefined : parseNodes(part);
      const offset = start + text.length - body.length;
      return found.map(({ object, path }) =>
        subscriptionAt(object, nodeAt(root, [...path, 'spec', 'version']), offset),
      );
    });
  } catch (error) {
    if (!(error instanceof YamlError || error instanceof YAMLException)) throw error;
    throw invalidInput(`${file} cannot be read: ${error.message}`, 'Correct the file', error);
  }
}

/** Subscriptions of a document, and the paths to them; a `List` has several. */
function subscriptionsIn(
  value: unknown,
): readonly { readonly object: KubeObject; readonly path: readonly (string | number)[] }[] {
  if (isSubscription(value)) return [{ object: value, path: [] }];
  if (!isRecord(value) || value['kind'] !== 'List') return [];
  return itemsOf(value['items']).flatMap((item, at) =>
    isSubscription(item) ? [{ object: item, path: ['items', at] }] : [],
  );
}

function subscriptionAt(object: KubeObject, node: YamlNode | undefined, offset: number): ManifestSubscription {
  const subscription = parseObject(SUBSCRIPTION, object);
  if (node?.kind !== 'scalar' || IN_LINES.has(node.event.style)) return { subscription };
  const { valueStart, valueEnd, style } = node.event;
  return {
    subscription,
    place: { start: offset + valueStart, end: offset + valueEnd, quoted: style !== SCALAR_STYLE.PLAIN },
  };
}

/** Styles with lines and indentation of their own. */
const IN_LINES: ReadonlySet<number> = new Set([SCALAR_STYLE.LITERAL_BLOCK, SCALAR_STYLE.FOLDED_BLOCK]);

export interface VersionChange {
  readonly place: VersionPlace;
  readonly version: string;
}

/**
 * The text with other versions. Undefined if the result would differ by more than those: an anchor of the version is used
 * elsewhere, for instance.
 */
export function replaceVersions(text: string, changes: readonly VersionChange[]): string | undefined {
  const replaced = changes
    .toSorted((one, other) => other.place.start - one.place.start)
    .reduce((result, { place: { start, end, quoted }, version }) => {
      const written = quoted || isText(version) ? version : `'${version}'`;
      return result.slice(0, start) + written + result.slice(end);
    }, text);
  return isOnlyThat(text, replaced, changes) ? replaced : undefined;
}

/** Whether the data differ in the versions of as many Subscriptions as there are changes, and in nothing else. */
function isOnlyThat(before: string, after: string, changes: readonly VersionChange[]): boolean {
  const [old, now] = [before, after].map((text) => parseYaml(text).map(({ value }) => withoutVersions(value)));
  if (!isDeepStrictEqual(old, now)) return false;
  const [oldVersions, versions] = [before, after].map((text) =>
    parseYaml(text).flatMap(({ value }) => versionsIn(value)),
  );
  const differing = versions?.filter((version, at) => version !== oldVersions?.[at]) ?? [];
  const written = changes.toSorted((one, other) => one.place.start - other.place.start);
  return isDeepStrictEqual(
    differing,
    written.map(({ version }) => version),
  );
}

function versionsIn(value: unknown): readonly unknown[] {
  return subscriptionsIn(value).map(({ object }) => (object as unknown as Subscription).spec.version);
}

function withoutVersions(value: unknown): unknown {
  if (isSubscription(value))
    return { ...value, spec: { ...(value as unknown as Subscription).spec, version: undefined } };
  if (!isRecord(value) || value['kind'] !== 'List') return value;
  return { ...value, items: itemsOf(value['items']).map(withoutVersions) };
}
