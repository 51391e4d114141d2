/**
 * Judges the objects of a Helm chart, of which the author's helm has rendered the templates twice: a bundle has the same
 * content everywhere and every time, and nothing runs the hooks of a chart. Pure.
 */
import { isCrd } from '../../api/crd-kind.ts';
import { canonicalJson } from '../../api/json.ts';
import { nameSome } from '../../api/name-some.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../../api/object.ts';
import { isRecord } from '../../api/untyped.ts';
import { invalidInput } from '../../api/invalid-input.ts';
import type { SourceObject } from './source.ts';

/** Objects of a chart that can be in a bundle. */
export interface ChartObjects {
  readonly sources: readonly SourceObject[];
  /** Names of tests of the chart, which no installation runs. */
  readonly tests: readonly string[];
}

const HOOK = 'helm.sh/hook';
const OF_HELM = /^helm\.sh\//;
const MAX_NAMED = 10;

/**
 * The objects of a chart, without its tests and without the annotations of helm. `leaveOut` names hooks that the operator
 * works without.
 * @throws ReasonedError InputInvalid, with the names of all objects, if some differ between the renderings or are hooks
 */
export function takeChart(
  first: readonly SourceObject[],
  second: readonly SourceObject[],
  leaveOut: readonly string[] = [],
): ChartObjects {
  refuseDifferences(first, second);
  const isTest = ({ object }: SourceObject): boolean => hooksOf(object).some((hook) => hook.startsWith('test'));
  const kept = first.filter((source) => !isTest(source));
  refuseHooks(kept.filter(({ object }) => !isNamed(object, leaveOut)));
  return {
    sources: kept.map(({ object, place }) => ({ object: withoutHelm(object), place })),
    tests: first.filter(isTest).map(({ object }) => describeRef(refOf(object))),
  };
}

function refuseDifferences(first: readonly SourceObject[], second: readonly SourceObject[]): void {
  const [one, two] = [first, second].map(
    (sources) => new Map(sources.map(({ object }) => [describeRef(refOf(object)), object])),
  );
  const names = [...new Set([...one!.keys(), ...two!.keys()])];
  const differing = names.flatMap((name) => {
    const [before, after] = [one!.get(name), two!.get(name)];
    if (before === undefined || after === undefined) return [`${name} (its name)`];
    const path = differenceIn(before, after);
    return path === undefined ? [] : [`${name} (${path})`];
  });
  if (differing.length === 0) return;
  throw invalidInput(
    `the chart renders differently each time: ${list(differing)}`,
    'Set these values with --set or --values, so that no template uses random values, new certificates or the time',
  );
}

/** Path of the first field that differs. */
function differenceIn(before: unknown, after: unknown): string | undefined {
  if (canonicalJson([before]) === canonicalJson([after])) return undefined;
  if (!isRecord(before) || !isRecord(after)) return '';
  const key = Object.keys({ ...before, ...after }).find(
    (name) => canonicalJson([before[name]]) !== canonicalJson([after[name]]),
  );
  const rest = differenceIn(before[key ?? ''], after[key ?? '']);
  return rest === undefined || rest === '' ? key : `${key}.${rest}`;
}

/** `pre-install` and others, which helm runs beside the objects of the release. */
function hooksOf({ metadata }: KubeObject): readonly string[] {
  const text = metadata.annotations?.[HOOK];
  return text === undefined ? [] : text.split(',').map((hook) => hook.trim());
}

/** A CRD that a hook installs is installed as any other one. */
function refuseHooks(sources: readonly SourceObject[]): void {
  const hooks = sources.filter(({ object }) => hooksOf(object).length > 0 && !isCrd(object));
  if (hooks.length === 0) return;
  const names = hooks.map(({ object }) => `${describeRef(refOf(object))} (${hooksOf(object).join(', ')})`);
  throw invalidInput(
    `the chart has hooks, which no installation of a bundle runs: ${list(names)}`,
    'Switch them off by the values of the chart, or say --leave-out KIND/NAME for each one that the operator works without',
  );
}

function isNamed(object: KubeObject, names: readonly string[]): boolean {
  const kind = groupKind(object);
  return names.includes(kind) || names.includes(`${kind}/${object.metadata.name}`);
}

function withoutHelm(object: KubeObject): KubeObject {
  const { annotations, ...metadata } = object.metadata;
  if (annotations === undefined) return object;
  const kept = Object.entries(annotations).filter(([key]) => !OF_HELM.test(key));
  return { ...object, metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) } };
}

function list(names: readonly string[]): string {
  return nameSome(names, MAX_NAMED);
}
