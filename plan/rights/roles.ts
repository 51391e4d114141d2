/** Knows what the roles among some objects contain: the rules of each, and rights in words in the place of unknown rules. Pure. */
import { isAggregated } from '../../api/aggregated-role.ts';
import { canonicalJson } from '../../api/json.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import { matchesSelector, type LabelSelector } from '../../resolver/selector.ts';
import { costOfText, type RightsBudget } from './budget.ts';
import { digestOf } from './remainder.ts';
import type { Danger, OperatorRight } from './right.ts';
import { rulesOf, textsOf, type RightsRule } from './rule.ts';

/** Rules by name of ClusterRoles that the objects do not contain. */
export type KnownClusterRoles = ReadonlyMap<string, readonly RightsRule[]>;

/** All that a role gives its holders, each in the scope of the binding. */
interface RoleContent {
  readonly rules: readonly RightsRule[];
  readonly stated: readonly Omit<OperatorRight, 'holder'>[];
}

interface RoleName {
  readonly kind: string;
  readonly name: string;
  /** The namespace of a Role. */
  readonly scope: string;
}

const RBAC = 'rbac.authorization.k8s.io';

/** Mutable: each role is read once, however many bindings name it. */
export class Roles {
  /** ClusterRoles of the bundle. */
  readonly own: readonly KubeObject[];
  readonly #byKey: ReadonlyMap<string, KubeObject>;
  readonly #known: KnownClusterRoles;
  readonly #budget: RightsBudget;
  readonly #rules = new Map<KubeObject, readonly RightsRule[]>();
  readonly #contents = new Map<KubeObject, RoleContent>();
  #digest: string | undefined;

  constructor(objects: readonly KubeObject[], known: KnownClusterRoles, budget: RightsBudget) {
    const roles = objects.filter((object) => [`ClusterRole.${RBAC}`, `Role.${RBAC}`].includes(groupKind(object)));
    this.own = roles.filter(({ kind }) => kind === 'ClusterRole');
    this.#byKey = new Map(roles.map((role) => [keyOf(nameOf(role)), role]));
    this.#known = known;
    this.#budget = budget;
  }

  contentOf(named: RoleName): RoleContent {
    const role = this.#byKey.get(keyOf(named));
    if (role !== undefined) return this.contentOfOwn(role);
    const { kind, name } = named;
    const rules = kind === 'ClusterRole' ? (BUILT_IN.get(name) ?? this.#known.get(name)) : undefined;
    return rules === undefined ? { rules: [], stated: [rightsOfRole(kind, name)] } : { rules, stated: [] };
  }

  /** The content of a role of the bundle; the same list of rules at each call. */
  contentOfOwn(role: KubeObject): RoleContent {
    const content = this.#contents.get(role) ?? this.#read(role);
    this.#contents.set(role, content);
    return content;
  }

  #read(role: KubeObject): RoleContent {
    const selectors = selectorsOf(role);
    if (selectors === undefined) return { rules: this.#rulesIn(role), stated: [] };
    const sources = this.#sourcesOf(role);
    if (sources === undefined)
      return { rules: [], stated: [...selectors.map(openRight), this.#uncollected(selectors)] };
    return {
      rules: sources.filter((one) => selectorsOf(one) === undefined).flatMap((one) => this.#rulesIn(one)),
      stated: sources.flatMap((one) => selectorsOf(one) ?? []).map(openRight),
    };
  }

  #rulesIn(role: KubeObject): readonly RightsRule[] {
    const rules = this.#rules.get(role) ?? rulesOf(role);
    this.#rules.set(role, rules);
    return rules;
  }

  /**
   * The role, and the ClusterRoles of the bundle whose rules it gets, also through one that is filled itself; undefined
   * if there are too many to compare.
   */
  #sourcesOf(role: KubeObject): readonly KubeObject[] | undefined {
    const sources = new Set([role]);
    // the set grows meanwhile
    for (const source of sources) {
      const selectors = selectorsOf(source);
      const cost = selectors === undefined ? this.#rulesIn(source).length : this.#costOf(selectors);
      if (!this.#budget.spend(cost)) return undefined;
      const readable = (selectors ?? []).map(readSelector);
      const matching = this.own.filter(({ metadata }) => readable.some((one) => matchesSelector(one, metadata.labels)));
      for (const one of matching) sources.add(one);
    }
    return [...sources];
  }

  /** Each selector is held against each ClusterRole. */
  #costOf(selectors: readonly Fields[]): number {
    return selectors.reduce((sum, selector) => sum + costOfText(canonicalJson(selector)), 0) * this.own.length;
  }

  /** Stands for the rules of any ClusterRoles of the bundle: it differs if one of them or a selector does. */
  #uncollected(selectors: readonly Fields[]): RoleContent['stated'][number] {
    this.#digest ??= digestOf(canonicalJson(this.own.map(describeRole).sort()));
    const digest = digestOf(canonicalJson([selectors, this.#digest]));
    const words = `has the rights of ClusterRoles by ${selectors.length} selectors, which are too many to compare (${digest})`;
    return { words, danger: 'critical', isOpen: true };
  }
}

function describeRole({ metadata, rules, aggregationRule }: KubeObject): string {
  return canonicalJson([metadata.name, metadata.labels, rules, aggregationRule]);
}

/**
 * The selectors of an aggregationRule: the API server fills the rules of such a role, from all ClusterRoles of the
 * cluster and from rules with which it has filled these. Undefined for a role with rules of its own.
 */
function selectorsOf(role: KubeObject): readonly Fields[] | undefined {
  return isAggregated(role) ? listOf(fieldsOf(role['aggregationRule'])['clusterRoleSelectors']) : undefined;
}

function nameOf({ kind, metadata: { namespace = '', name } }: KubeObject): RoleName {
  return { kind, name, scope: namespace };
}

function keyOf({ kind, name, scope }: RoleName): string {
  return kind === 'ClusterRole' ? `${kind} ${name}` : `${kind} ${scope}/${name}`;
}

function readSelector({ matchLabels, matchExpressions }: Fields): LabelSelector {
  const labels = Object.entries(fieldsOf(matchLabels)).map(([name, value]) => [name, String(value)] as const);
  return {
    matchLabels: Object.fromEntries(labels),
    matchExpressions: listOf(matchExpressions).map(({ key, operator, values }) => ({
      key: textOf(key),
      operator: textOf(operator),
      values: textsOf(values),
    })),
  };
}

function openRight(selector: Fields): RoleContent['stated'][number] {
  const words = `has all rights of every ClusterRole with ${describeSelector(selector)}`;
  return matchesSelector(readSelector(selector), LABELS_OF_CLUSTER_ADMIN)
    ? { words, danger: 'critical', because: 'cluster-admin among them', isOpen: true }
    : { words, danger: 'high', because: 'so any ClusterRole that gets these labels adds to its rights', isOpen: true };
}

const LABELS_OF_CLUSTER_ADMIN = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

function describeSelector({ matchLabels, matchExpressions }: Fields): string {
  const labels = Object.entries(fieldsOf(matchLabels)).map(([name, value]) => `${name}=${String(value)}`);
  const expressions = listOf(matchExpressions).map(({ key, operator, values }) =>
    [key, operator, ...(Array.isArray(values) ? [values.join(' or ')] : [])].map(String).join(' '),
  );
  const all = [...labels, ...expressions].sort();
  return all.length === 0 ? 'any labels' : `the labels ${all.join(', ')}`;
}

const EVERYTHING: RightsRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  resourceNames: [],
  nonResourceURLs: [],
};

/** ClusterRoles that every cluster has, with rules that no administrator changes. */
const BUILT_IN: KnownClusterRoles = new Map([
  ['cluster-admin', [EVERYTHING, { ...EVERYTHING, apiGroups: [], resources: [], nonResourceURLs: ['*'] }]],
]);

/** Well-known roles whose extent a reader knows by their names, with their danger. */
const WELL_KNOWN: ReadonlyMap<string, Danger> = new Map<string, Danger>([
  ['ClusterRole admin', 'high'],
  ['ClusterRole edit', 'high'],
  ['ClusterRole view', 'moderate'],
  ['ClusterRole system:auth-delegator', 'low'],
  ['Role extension-apiserver-authentication-reader', 'low'],
]);

function rightsOfRole(kind: string, name: string): RoleContent['stated'][number] {
  const danger = WELL_KNOWN.get(`${kind} ${name}`);
  const words = `has all rights of the ${kind} ${name}`;
  if (danger !== undefined) return { words, danger };
  return { words, danger: 'high', because: 'whose rules the bundle does not contain', isOpen: true };
}
