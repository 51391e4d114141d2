/** Puts atoms together into rights in words, the most dangerous first. Pure. */
import { compareText } from '../../api/compare-text.ts';
import { ANY_NAME, EVERYWHERE, type Atom } from './atom.ts';
import { compareDangers, judgeResource, type DangerJudgement } from './dangers.ts';
import { describeScope, OPERATOR } from './grants.ts';
import { isClusterScoped, listOf, nounOf, shortList, verbWords } from './nouns.ts';
import type { OperatorRight } from './right.ts';

/** Longest lists of resources and names in one sentence. */
const MOST_NAMED = 8;

/** The rights that atoms make up together. `own` are the API groups of the bundle's CRDs. */
export function describeRights(atoms: Iterable<Atom>, own: ReadonlySet<string>): readonly OperatorRight[] {
  const all = [...atoms];
  const rights = [
    ...describeResources(all.filter((atom) => atom.kind === 'resource')),
    ...describeUrls(all.filter((atom) => atom.kind === 'url')),
    ...describeWebhooks(
      all.filter((atom) => atom.kind === 'webhook'),
      own,
    ),
    ...all.filter((atom) => atom.kind === 'stated').map(({ holder, right }) => ({ holder, ...right })),
  ];
  return rights.toSorted(compareRights);
}

function compareRights(a: OperatorRight, b: OperatorRight): number {
  return (
    compareDangers(b.danger, a.danger) ||
    Number(b.holder === OPERATOR) - Number(a.holder === OPERATOR) ||
    compareText(a.holder, b.holder) ||
    compareText(a.words, b.words)
  );
}

type ResourceAtom = Extract<Atom, { kind: 'resource' }>;

/** The verbs of one holder on one resource, and the names that they are limited to. */
interface HeldRight {
  readonly holder: string;
  readonly scope: string;
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly names: readonly string[];
}

function describeResources(atoms: readonly ResourceAtom[]): readonly OperatorRight[] {
  const byName = groupBy(atoms, ({ holder, scope, group, resource, name }) => [holder, scope, group, resource, name]);
  const named = byName.map(([first, ...rest]) => ({
    ...first,
    verbs: [...new Set([first, ...rest].map(({ verb }) => verb))].sort(),
  }));
  const byVerbs = groupBy(named, ({ holder, scope, group, resource, verbs, name }) => [
    holder,
    scope,
    group,
    resource,
    name === ANY_NAME ? 'any' : 'named',
    ...verbs,
  ]);
  const held = byVerbs.map((members): HeldRight => ({
    ...members[0],
    names: members.map(({ name }) => name).filter((name) => name !== ANY_NAME),
  }));
  const judged = held.map((one) => ({
    held: one,
    judgement: judgeResource({ ...one, isNamed: one.names.length > 0 }),
  }));
  const together = groupBy(judged, ({ held: { holder, scope, verbs, names, group, resource }, judgement }) => [
    holder,
    whereOf(scope, group, resource),
    verbs.join(' '),
    names.join(' '),
    judgement.danger,
    judgement.because ?? '',
  ]);
  return together.map((members) =>
    describeHeld(members.map((one) => one.held) as [HeldRight, ...HeldRight[]], members[0].judgement),
  );
}

/** Kinds without namespaces need no mention of them. */
function whereOf(scope: string, group: string, resource: string): string {
  return scope === EVERYWHERE && isClusterScoped(group, resource) ? '' : describeScope(scope);
}

function describeHeld(
  members: readonly [HeldRight, ...HeldRight[]],
  { danger, because }: DangerJudgement,
): OperatorRight {
  const [{ holder, scope, verbs, names, group, resource }] = members;
  const nouns = [...new Set(members.map((one) => nounOf(one.group, one.resource)))].sort(compareText);
  const limit = names.length === 0 ? '' : ` named ${shortList([...names].sort(compareText), MOST_NAMED)}`;
  return {
    holder,
    words: `may ${verbWords(verbs)} ${shortList(nouns, MOST_NAMED)}${limit}${whereOf(scope, group, resource)}`,
    danger,
    ...(because !== undefined && { because }),
  };
}

function describeUrls(atoms: readonly Extract<Atom, { kind: 'url' }>[]): readonly OperatorRight[] {
  const byUrl = groupBy(atoms, ({ holder, url }) => [holder, url]).map((members) => ({
    ...members[0],
    verbs: [...new Set(members.map(({ verb }) => verb))].sort(),
  }));
  return groupBy(byUrl, ({ holder, verbs }) => [holder, ...verbs]).map((members) => {
    const [{ holder, verbs }] = members;
    const urls = members.map(({ url }) => url).sort(compareText);
    const paths = urls.includes('*')
      ? 'every path'
      : `the ${urls.length === 1 ? 'path' : 'paths'} ${shortList(urls, MOST_NAMED)}`;
    const reads = verbs.every((verb) => verb === 'get' || verb === 'head');
    return {
      holder,
      words: `may ${verbs.includes('*') ? 'send every request' : `send ${listOf(verbs)} requests`} to ${paths} of the API server`,
      danger: reads ? 'low' : 'moderate',
    };
  });
}

type WebhookAtom = Extract<Atom, { kind: 'webhook' }>;

function describeWebhooks(atoms: readonly WebhookAtom[], own: ReadonlySet<string>): readonly OperatorRight[] {
  const judged = atoms.map((atom) => ({ atom, danger: dangerOfWebhook(atom, own) }));
  return groupBy(judged, ({ atom, danger }) => [
    atom.holder,
    atom.effect,
    atom.selector === '' ? '' : 'some',
    danger,
  ]).map((members) => {
    const [{ atom, danger }] = members;
    const nouns = [...new Set(members.map((one) => interceptedNoun(one.atom)))].sort(compareText);
    const some = atom.selector === '' ? '' : 'some ';
    const effect = atom.effect === 'change' ? 'may change or reject them' : 'may reject them';
    return {
      holder: atom.holder,
      words: `intercepts ${some}writes of ${shortList(nouns, MOST_NAMED)}`,
      danger,
      because: `and ${effect}`,
    };
  });
}

/** In the rules of webhooks an asterisk in both places is everything. */
function interceptedNoun({ group, resource }: WebhookAtom): string {
  return nounOf(group, resource === '*/*' ? '*' : resource);
}

/** Kinds of the bundle itself are its own business. */
function dangerOfWebhook({ group, effect, selector }: WebhookAtom, own: ReadonlySet<string>): OperatorRight['danger'] {
  if (own.has(group)) return 'low';
  if (selector !== '') return 'high';
  return effect === 'change' ? 'critical' : 'high';
}

/** Groups in the order of their first members; keys are lists of texts. */
function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => readonly string[]): [Item, ...Item[]][] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(keyOf(item)));
  return [...groups.values()] as [Item, ...Item[]][];
}
