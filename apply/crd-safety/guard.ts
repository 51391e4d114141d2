/**
 * Decides whether a CRD in the cluster may be replaced, by the effect on existing objects. The schemas are compared
 * first, which costs no request; objects are read page by page only for dangerous findings. The revision controller
 * calls it before a roll-out writes anything.
 */
import { keyOfObject, type DefinedKind, type KubeObject } from '../../api/object.ts';
import { definedAs, mayName } from '../custom-resources.ts';
import { attributeTo, type Attributed } from './attribute.ts';
import {
  compareCrds,
  isDangerous,
  type CrdVerdict,
  type CrdFinding,
  type HurtObjects,
  type Waiver,
} from './compare.ts';
import { comparisonsOf, type Comparison } from './comparisons.ts';
import { harmsOf, isRegardless, TOO_MUCH, type Harm } from './hurt.ts';
import { readCrd, type Crd } from './schema.ts';
import { withinSteps } from './server/steps.ts';

/** Lists one page of all objects of a kind, as kube/'s client does. Throws if the kind is not served. */
export type ListPage = (
  kind: DefinedKind,
  options: { readonly limit: number; readonly continue?: string },
  signal: AbortSignal,
) => Promise<{ readonly items: readonly KubeObject[]; readonly continue?: string; readonly limit?: number }>;

export interface GuardOptions {
  readonly listPage: ListPage;
  readonly waivers?: readonly Waiver[];
  /** The only namespace whose objects a finding names; absent: all are named. */
  readonly namedIn?: string | undefined;
  readonly signal: AbortSignal;
  /** Ends the reading of objects; any further objects count as hurt. */
  readonly limit?: AbortSignal | undefined;
  /** Milliseconds of a monotonic clock; the process's own by default. */
  readonly now?: () => number;
}

/** Page size, as an object may have 1.5 MB; and most objects read for one CRD version: any further objects count as hurt. */
const PAGE = 25;
const MOST_OBJECTS = 10_000;
/** Time limit for all objects of a CRD version; after each time slice the check yields to other work. */
const MOST_MS = 60_000;
const SLICE_MS = 50;
/** Most objects that a finding names. */
const MOST_NAMED = 3;

/**
 * The verdict on a change, given the existing objects: a finding that hurts none of them has no effect. Throws as
 * compareCrds and `listPage` do: an object that cannot be read never counts as unhurt.
 */
export async function guardCrd(old: KubeObject, next: KubeObject, options: GuardOptions): Promise<CrdVerdict> {
  await breathe(options.signal); // a bundle may have hundreds of CRDs
  const verdict = compareCrds(old, next, options.waivers);
  if (verdict.safe) return verdict;
  const hurt: HurtByFinding = new Map();
  for (const reading of planReading(verdict, old, next)) await judgeObjects({ ...reading, hurt }, options);
  return withHurt(verdict, hurt, options.waivers);
}

/** What is to be read for the findings that depend on the existing objects: the objects once for each version. */
function planReading(verdict: CrdVerdict, old: KubeObject, next: KubeObject): readonly VersionReading[] {
  const [before, after] = [readCrd(old), readCrd(next)];
  const comparisons = new Map(comparisonsOf(before, after).map((each) => [each.label, each]));
  const labels = new Set(verdict.findings.filter(isDoubtful).map(({ version: label }) => label));
  return [...Map.groupBy(labels, (label) => readableVersion(before, label))].map(([version, grouped]) => ({
    kind: version === undefined ? undefined : definedAs(old, version),
    tasks: grouped.map((label) => {
      const findings = verdict.findings.filter((finding) => finding.version === label);
      return {
        findings,
        comparison: label === undefined ? undefined : comparisons.get(label),
        attribute: attributeTo(findings, label ?? ''),
      };
    }),
  }));
}

/** Whether the effect of a finding depends on the existing objects. */
function isDoubtful(finding: CrdFinding): boolean {
  return isDangerous(finding) && !isRegardless(finding);
}

/** The verdict with the objects that each finding hurts, and with the findings that only the objects have shown. */
function withHurt(verdict: CrdVerdict, hurt: HurtByFinding, waivers: readonly Waiver[] = []): CrdVerdict {
  const waived = new Set(waivers.filter(({ crd }) => crd === verdict.crd).map(({ rule }) => rule));
  const known = verdict.findings.map((finding) => (isDoubtful(finding) ? withObjects(finding, hurt) : finding));
  const further = [...hurt.values()].filter(({ finding }) => !verdict.findings.includes(finding));
  const added = further.map((each) => ({ ...withObjects(each.finding, hurt), waived: waived.has(each.finding.rule) }));
  const findings = [...known, ...added];
  return { ...verdict, safe: !findings.some(isDangerous), findings };
}

/** The version to read objects in: that of the finding if it is served, else the storage version. */
function readableVersion({ versions }: Crd, label: string | undefined): string | undefined {
  const served = versions.filter((version) => version.served);
  const wanted = label?.split(' -> ')[0];
  const found = served.find(({ name }) => name === wanted) ?? served.find(({ storage }) => storage) ?? served.at(0);
  return found?.name;
}

/** The findings of one comparison. A change of the CRD itself hurts every object and is not judged here. */
interface Task {
  readonly findings: readonly CrdFinding[];
  readonly comparison: Comparison | undefined;
  readonly attribute: (harm: Harm) => Attributed;
}

/** A finding with the objects that it hurts. */
interface Hurt {
  readonly finding: CrdFinding;
  count: number;
  unnamed: number;
  readonly names: string[];
  more?: string;
  because?: string;
}

/** By keyOf the finding. */
type HurtByFinding = Map<string, Hurt>;

/** The comparisons that are judged by the objects of one version. */
interface VersionReading {
  /** Undefined if no version is served, so that no object can be read. */
  readonly kind: DefinedKind | undefined;
  readonly tasks: readonly Task[];
}

interface Judging extends VersionReading {
  readonly hurt: HurtByFinding;
}

async function judgeObjects(judging: Judging, options: GuardOptions): Promise<void> {
  const { kind, tasks, hurt } = judging;
  const unread =
    kind === undefined ? 'no version is served in which objects could be read' : await readAll(judging, options);
  if (unread === undefined) return;
  for (const finding of tasks.flatMap((task) => task.findings).filter(isDangerous)) {
    const found = hurt.get(keyOf(finding)) ?? { finding, count: 0, unnamed: 0, names: [] };
    hurt.set(keyOf(finding), { ...found, more: unread });
  }
}

/** Judges every object; returns a reason if some were left out. */
async function readAll(judging: Judging, options: GuardOptions): Promise<string | undefined> {
  const { signal, limit } = options;
  if (limit === undefined) return readPages(judging, options);
  try {
    return await readPages(judging, { ...options, signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    if (limit.aborted && error === limit.reason) return 'others, as the time was not enough to judge all';
    throw error;
  }
}

async function readPages({ kind, tasks, hurt }: Judging, options: GuardOptions): Promise<string | undefined> {
  const { listPage, namedIn, signal, now = () => performance.now() } = options;
  const started = now();
  let slice = started;
  let seen = 0;
  let limit = PAGE;
  let token: string | undefined;
  do {
    const page = await listPage(
      kind as DefinedKind,
      { limit, ...(token !== undefined && { continue: token }) },
      signal,
    );
    for (const object of page.items) {
      for (const task of tasks) {
        judge(task, object, { hurt, namedIn });
        if (now() - started > MOST_MS) return `others, as ${MOST_MS / 1000} s were not enough to judge all`;
        if (now() - slice <= SLICE_MS) continue;
        await breathe(signal);
        slice = now();
      }
    }
    seen += page.items.length;
    limit = page.limit ?? limit;
    token = page.continue;
  } while (token !== undefined && seen < MOST_OBJECTS);
  return token === undefined ? undefined : `others that were not judged, as there are more than ${MOST_OBJECTS}`;
}

/** Yields to the event loop, so that other work such as renewing leases goes on. */
async function breathe(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

interface Notes {
  readonly hurt: HurtByFinding;
  readonly namedIn: string | undefined;
}

function judge({ findings, comparison, attribute }: Task, object: KubeObject, notes: Notes): void {
  if (comparison === undefined) {
    for (const finding of findings.filter(isDoubtful)) note(notes, { finding }, object);
    return;
  }
  const harms = harmsOf(comparison, object);
  const attributed = withinSteps(() => harms.map(attribute)) ?? [attribute(TOO_MUCH)];
  const reported = new Map(attributed.map((each) => [keyOf(each.finding), each]));
  for (const each of reported.values()) note(notes, each, object);
}

/** Records a hurt object. The reason may show its values, so it is left out if the object may not be named. */
function note(
  { hurt, namedIn }: Notes,
  { finding, because }: Pick<Hurt, 'finding' | 'because'>,
  object: KubeObject,
): void {
  const key = keyOf(finding);
  const found = hurt.get(key) ?? { finding, count: 0, unnamed: 0, names: [] };
  hurt.set(key, found);
  if (because !== undefined && mayName(object, namedIn)) found.because ??= because;
  found.count += 1;
  if (!mayName(object, namedIn)) found.unnamed += 1;
  else if (found.names.length < MOST_NAMED) found.names.push(keyOfObject(object));
}

const keys = new WeakMap<CrdFinding, string>();

/** Written once for each finding: its message may be long, and many objects may have its harm. */
function keyOf(finding: CrdFinding): string {
  const { version, rule, path, message, effect } = finding;
  const key = keys.get(finding) ?? JSON.stringify([version, rule, path, message, effect]);
  keys.set(finding, key);
  return key;
}

function withObjects(finding: CrdFinding, hurt: HurtByFinding): CrdFinding {
  const found = hurt.get(keyOf(finding));
  if (found === undefined) return { ...finding, effect: 'none' };
  const { count, unnamed, names, more, because } = found;
  const objects: HurtObjects = {
    count,
    ...(unnamed > 0 && { unnamed }),
    names,
    ...(more !== undefined && { more }),
    ...(because !== undefined && { because }),
  };
  return { ...finding, objects };
}
