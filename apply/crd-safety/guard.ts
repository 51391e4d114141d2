/**
 * Decides whether a CRD in the cluster may be replaced by another one, by what that does to the objects that exist.
 * The schemas are compared first, which costs nothing; only for what could hurt are objects read, page by page. The
 * revision controller asks before anything of a roll-out is written.
 */
import { keyOfObject, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { mayName } from '../custom-resources.ts';
import { fieldsOf, textOf } from '../untyped.ts';
import { compareCrds, isDangerous, type CrdVerdict, type Finding, type HurtObjects, type Waiver } from './compare.ts';
import { isRegardless, judgeOf, type Hurts } from './hurt.ts';
import { readCrd, type Crd } from './schema.ts';

type Kind = Pick<ObjectRef, 'apiVersion' | 'kind'>;

/** Lists one page of all objects of a kind; kube/'s client does. Throws where the kind is not served. */
export type ListPage = (
  kind: Kind,
  options: { readonly limit: number; readonly continue?: string },
  signal?: AbortSignal,
) => Promise<{ readonly items: readonly KubeObject[]; readonly continue?: string }>;

export interface GuardOptions {
  readonly listPage: ListPage;
  readonly waivers?: readonly Waiver[];
  /** The only namespace whose objects a finding names; absent: all are named. */
  readonly namedIn?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Objects of a page, and of one CRD version at most: what is beyond counts as hurt. */
const PAGE = 500;
const MOST_OBJECTS = 10_000;
/** Objects that a finding names. */
const MOST_NAMED = 3;

/**
 * The verdict on a change with regard to the objects that exist: a finding that hurts none of them has no effect.
 * Throws as compareCrds, and as `listPage` does: what cannot be read is never taken for unhurt.
 */
export async function guardCrd(old: KubeObject, next: KubeObject, options: GuardOptions): Promise<CrdVerdict> {
  const verdict = compareCrds(old, next, options.waivers);
  if (verdict.safe) return verdict;
  const [before, after] = [readCrd(old), readCrd(next)];
  const doubtful = verdict.findings.filter((finding) => isDangerous(finding) && !isRegardless(finding));
  const hurt = new Map<Finding, HurtObjects>();
  for (const [version, findings] of Map.groupBy(doubtful, ({ version: name }) => readableVersion(before, name))) {
    const judges = findings.map((finding) => ({
      finding,
      hurts: finding.version === version ? judgeOf(finding, before, after) : (): boolean => true,
    }));
    for (const [finding, objects] of await findHurt(kindOf(old, version), judges, options)) hurt.set(finding, objects);
  }
  const findings = verdict.findings.map((finding) => withObjects(finding, hurt.get(finding)));
  return { ...verdict, safe: !findings.some(isDangerous), findings };
}

/** The version in which objects are read: that of the finding if it is served, else the one they are stored in. */
function readableVersion({ versions }: Crd, wanted: string | undefined): string | undefined {
  const served = versions.filter((version) => version.served);
  const found = served.find(({ name }) => name === wanted) ?? served.find(({ storage }) => storage) ?? served.at(0);
  return found?.name;
}

function kindOf(crd: KubeObject, version: string | undefined): Kind | undefined {
  const { group, names } = fieldsOf(crd['spec']);
  if (version === undefined) return undefined;
  return { apiVersion: `${textOf(group)}/${version}`, kind: textOf(fieldsOf(names)['kind']) };
}

interface Judge {
  readonly finding: Finding;
  readonly hurts: Hurts;
}

/** The objects that each finding hurts. Without a served version there is nobody who could tell: unknown. */
async function findHurt(
  kind: Kind | undefined,
  judges: readonly Judge[],
  { listPage, namedIn, signal }: GuardOptions,
): Promise<ReadonlyMap<Finding, HurtObjects>> {
  const found = new Map(
    judges.map(({ finding }) => [finding, { count: 0, unnamed: 0, names: [] as string[], more: false }]),
  );
  if (kind === undefined) return new Map(judges.map(({ finding }) => [finding, { count: 0, names: [], more: true }]));
  let seen = 0;
  let next: string | undefined;
  do {
    const page = await listPage(kind, { limit: PAGE, ...(next !== undefined && { continue: next }) }, signal);
    for (const object of page.items) {
      for (const { finding, hurts } of judges) if (hurts(object)) note(found.get(finding), object, namedIn);
    }
    seen += page.items.length;
    next = page.continue;
  } while (next !== undefined && seen < MOST_OBJECTS);
  if (next === undefined) return found;
  return new Map([...found].map(([finding, objects]) => [finding, { ...objects, more: true }]));
}

interface Found {
  count: number;
  unnamed: number;
  readonly names: string[];
}

function note(found: Found | undefined, object: KubeObject, namedIn: string | undefined): void {
  if (found === undefined) return;
  found.count += 1;
  if (!mayName(object, namedIn)) found.unnamed += 1;
  else if (found.names.length < MOST_NAMED) found.names.push(keyOfObject(object));
}

function withObjects(finding: Finding, objects: HurtObjects | undefined): Finding {
  if (objects === undefined) return finding;
  const isHurt = objects.count > 0 || objects.more;
  return isHurt ? { ...finding, objects } : { ...finding, effect: 'none' };
}
