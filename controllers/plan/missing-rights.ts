/**
 * Finds all rights that the account of a Subscription lacks for a change, before anything is written: each right that it
 * needs is asked about, as the account. Without this a roll-out reports one missing right after the other.
 */
import type { KubeObject } from '../../api/object.ts';
import { createSlots } from '../../apply/slots.ts';
import type { Access, Client, PathAccess } from '../../kube/client/client.ts';
import type { PlannedSide } from '../../plan/input.ts';
import { compareSets } from '../../plan/objects.ts';
import { EVERYWHERE, type Atom } from '../../plan/rights/atom.ts';
import { rolesFor, type RightsHolder } from '../../plan/rights/account-roles.ts';
import { countParts, RightsBudget } from '../../plan/rights/budget.ts';
import { givenAwayWithin } from '../../plan/rights/given-away.ts';
import { joinWithin } from '../../plan/rights/join-rules.ts';
import { rightsToDelete, rightsToWrite } from '../../plan/rights/minimal.ts';
import { atomsOfScoped, type ScopedRule } from '../../plan/rights/scoped-rule.ts';

/** Most questions for one plan; an account that needs more rights is not checked. */
const MOST_QUESTIONS = 2000;
const AT_ONCE = 8;

export interface MissingRights {
  readonly rules: readonly ScopedRule[];
  /** Roles and bindings that grant exactly these rules. */
  readonly roles: readonly KubeObject[];
}

/** The objects of both sides of a change. */
interface ChangedObjects {
  readonly from?: Pick<PlannedSide, 'objects'>;
  readonly to?: Pick<PlannedSide, 'objects'>;
}

/**
 * The missing rights; undefined if they cannot be known: the account may not ask, or needs too many. Throws the errors of
 * the client.
 *
 * @param acting As the account.
 */
export async function findMissingRights(
  acting: Pick<Client, 'allows'>,
  { from, to }: ChangedObjects,
  { account, signal }: { readonly account: RightsHolder; readonly signal: AbortSignal },
): Promise<MissingRights | undefined> {
  const after = to?.objects ?? [];
  const { deleted } = compareSets(from?.objects ?? [], after);
  const questions = new RightsQuestions(acting, signal);
  const mayGiveAway = await questions.mayGiveAway(after);
  const givenAway = mayGiveAway === true ? [] : givenAwayWithin(after, new RightsBudget());
  if (mayGiveAway === undefined || givenAway === undefined) return undefined;
  const needed = joinWithin([...rightsToWrite(after), ...rightsToDelete(deleted), ...givenAway], new RightsBudget());
  const rules = needed && (await questions.missingOf(needed));
  return rules && { rules, roles: rolesFor(rules, account, `${account.name}-missing-rights`) };
}

class RightsQuestions {
  readonly #acting: Pick<Client, 'allows'>;
  readonly #signal: AbortSignal;
  readonly #slots = createSlots(AT_ONCE);
  #isUnknown = false;

  constructor(acting: Pick<Client, 'allows'>, signal: AbortSignal) {
    this.#acting = acting;
    this.#signal = signal;
  }

  /** Whether the account may write and bind every role, whatever it gives away; undefined: in too many places. */
  async mayGiveAway(objects: readonly KubeObject[]): Promise<boolean | undefined> {
    const roles = objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
    const places = new Set(roles.map(({ kind, metadata }) => JSON.stringify([kind, metadata.namespace ?? ''])));
    if (places.size > MOST_QUESTIONS / 2) return undefined;
    const answers = [...places].flatMap((place) => {
      const [kind, namespace] = JSON.parse(place) as [string, string];
      const about = { group: 'rbac.authorization.k8s.io', resource: kind === 'Role' ? 'roles' : 'clusterroles' };
      const where = namespace === '' ? {} : { namespace };
      return ['escalate', 'bind'].map((verb) => this.#ask({ verb, ...about, ...where }));
    });
    return (await Promise.all(answers)).every((answer) => answer === true);
  }

  /** The rules of which the account lacks a part; undefined if that is not known. */
  async missingOf(rules: readonly ScopedRule[]): Promise<readonly ScopedRule[] | undefined> {
    if (rules.reduce((sum, { rule }) => sum + countParts(rule), 0) > MOST_QUESTIONS) return undefined;
    const lacks = await Promise.all(
      rules.flatMap(atomsOfScoped).map(async (atom) => ((await this.#holds(atom)) === true ? [] : scopedRulesOf(atom))),
    );
    return this.#isUnknown ? undefined : joinWithin(together(lacks.flat()), new RightsBudget());
  }

  #holds(atom: Atom): Promise<boolean | undefined> {
    const access = accessOf(atom);
    return access === undefined ? Promise.resolve(false) : this.#ask(access);
  }

  async #ask(access: Access | PathAccess): Promise<boolean | undefined> {
    const answer = await this.#slots(() => this.#acting.allows(access, this.#signal));
    if (answer === undefined) this.#isUnknown = true;
    return answer;
  }
}

function accessOf(atom: Atom): Access | PathAccess | undefined {
  if (atom.kind === 'url') return { verb: atom.verb, path: atom.url };
  if (atom.kind !== 'resource') return undefined;
  const { scope, group, verb, name } = atom;
  const [resource = '', ...rest] = atom.resource.split('/');
  return {
    verb,
    group,
    resource,
    ...(rest.length > 0 && { subresource: rest.join('/') }),
    ...(scope !== EVERYWHERE && { namespace: scope }),
    ...(name !== '' && { name }),
  };
}

function scopedRulesOf(atom: Atom): readonly ScopedRule[] {
  const empty = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  if (atom.kind === 'url')
    return [{ scope: EVERYWHERE, rule: { ...empty, verbs: [atom.verb], nonResourceURLs: [atom.url] } }];
  if (atom.kind !== 'resource') return [];
  const { scope, group, resource, verb, name } = atom;
  const resourceNames = name === '' ? [] : [name];
  return [{ scope, rule: { ...empty, verbs: [verb], apiGroups: [group], resources: [resource], resourceNames } }];
}

/** Rules that differ in their verbs only, as one; then those that differ in their names only. */
function together(rules: readonly ScopedRule[]): readonly ScopedRule[] {
  return mergeBy('resourceNames', mergeBy('verbs', rules));
}

function mergeBy(field: 'verbs' | 'resourceNames', rules: readonly ScopedRule[]): readonly ScopedRule[] {
  const alike = Map.groupBy(rules, ({ scope, rule }) =>
    JSON.stringify([scope, { ...rule, [field]: rule[field].length === 0 ? [] : ['…'] }]),
  );
  return [...alike.values()].map((members) => {
    const [first] = members as [ScopedRule, ...ScopedRule[]];
    const values = [...new Set(members.flatMap(({ rule }) => rule[field]))].sort();
    return { scope: first.scope, rule: { ...first.rule, [field]: values } };
  });
}
