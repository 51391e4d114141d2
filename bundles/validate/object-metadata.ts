import { isRecord } from '../../api/untyped.ts';
import type { Bundle } from '../bundle.ts';
import { at, inCsv, isSubdomain, asText, type Check, type FoundBy } from './check.ts';

type Wrong = Pick<FoundBy, 'message' | 'advice'> & { readonly path: string };

/** Labels and annotations have keys and values that the API server takes. */
export const objectMetadata: Check = {
  name: 'object-metadata',
  suite: 'install',
  *run(bundle) {
    for (const manifest of [...bundle.crds, ...bundle.objects]) {
      for (const wrong of wrongIn(manifest.object.metadata, 'metadata')) {
        yield { level: 'error', ...at(manifest), ...wrong };
      }
    }
    yield* wrongInCsv(bundle);
  },
};

function* wrongInCsv(bundle: Bundle): Iterable<FoundBy> {
  for (const { path, ...wrong } of wrongInDeployments(bundle)) {
    yield { level: 'error', ...inCsv(bundle, path), ...wrong };
  }
}

/** The metadata that the CSV sets on its Deployments and their Pods. */
function* wrongInDeployments({ csv: { annotations, spec } }: Bundle): Iterable<Wrong> {
  yield* wrongIn({ annotations }, 'metadata');
  for (const [index, { label, spec: deployment }] of (spec.install.spec?.deployments ?? []).entries()) {
    const path = `spec.install.spec.deployments[${index}]`;
    yield* wrongLabels(label, `${path}.label`);
    yield* wrongIn(deployment.template.metadata, `${path}.spec.template.metadata`);
  }
}

function* wrongIn(
  { labels, annotations }: { readonly labels?: unknown; readonly annotations?: unknown },
  path: string,
): Iterable<Wrong> {
  yield* wrongLabels(labels, `${path}.labels`);
  for (const { key, value, place } of entriesOf(annotations, `${path}.annotations`)) {
    if (key === undefined) yield notAMap(place);
    else if (!isQualified(key.toLowerCase())) yield badKey(key, place);
    else if (typeof value !== 'string') yield notText(value, place);
  }
}

function* wrongLabels(labels: unknown, path: string): Iterable<Wrong> {
  for (const { key, value, place } of entriesOf(labels, path)) {
    if (key === undefined) yield notAMap(place);
    else if (!isQualified(key)) yield badKey(key, place);
    else if (typeof value !== 'string') yield notText(value, place);
    else if (value !== '' && !isName(value)) yield badValue(value, place);
  }
}

interface MetadataEntry {
  /** None if there is no map. */
  readonly key?: string;
  readonly value?: unknown;
  readonly place: string;
}

function* entriesOf(map: unknown, path: string): Iterable<MetadataEntry> {
  if (map === undefined || map === null) return;
  if (!isRecord(map)) {
    yield { place: path };
    return;
  }
  for (const key of Object.keys(map)) yield { key, value: map[key] ?? '', place: `${path}[${key}]` };
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

function isName(text: string): boolean {
  return text.length <= 63 && NAME.test(text);
}

/** `name` or `prefix/name`. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
function isQualified(key: string): boolean {
  const slash = key.indexOf('/');
  return isName(key.slice(slash + 1)) && (slash < 0 || isSubdomain(key.slice(0, slash)));
}

function notAMap(path: string): Wrong {
  return { path, message: 'it is not a map', advice: 'Write it as key: value' };
}

function badKey(key: string, path: string): Wrong {
  const message = `"${asText(key).slice(0, 300)}" cannot be a key`;
  return { path, message, advice: `Use at most 63 ${CHARACTERS}, behind a domain and "/" if need be` };
}

function notText(value: unknown, path: string): Wrong {
  return { path, message: `the value ${asText(value)} is not a text`, advice: 'Put it in quotes' };
}

function badValue(value: string, path: string): Wrong {
  const message = `"${value.slice(0, 100)}" cannot be the value of a label`;
  return { path, message, advice: `Use at most 63 ${CHARACTERS}` };
}

const CHARACTERS = 'letters, digits, "-", "_" and ".", with a letter or digit at both ends';
