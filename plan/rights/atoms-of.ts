/**
 * Takes the rights of objects apart into atoms: rules of roles, webhooks, served APIs, access of Pods to nodes, plugins of the
 * OpenShift console, and ServiceAccounts of others. Pure.
 */
import { groupKind, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import { containersOf, podsOf } from '../pods.ts';
import { borrowedAccounts, DEFAULT_ACCOUNT } from './accounts.ts';
import { ANY_NAME, EVERYWHERE, type Atom } from './atom.ts';
import { costOfRule, costOfText, countParts, RightsBudget } from './budget.ts';
import { describeScope, grantsOf, OPERATOR, type Grant } from './grants.ts';
import { Remainder } from './remainder.ts';
import type { OperatorRight } from './right.ts';
import type { KnownClusterRoles } from './roles.ts';
import { textsOf, type RightsRule } from './rule.ts';
import { atomsOfWebhooks } from './webhook-atoms.ts';

/** A rule that an operator may be granted beside those that its bundle grants. */
export interface PermittedRule extends RightsRule {
  /** Absent: everywhere. */
  readonly namespaces?: readonly string[];
}

/**
 * Every right that some objects give, and the operator's rights by further rules, in parts. Rights beyond the budget are
 * one right in words: of roles, and another one of webhooks.
 */
export function atomsOf(
  objects: readonly KubeObject[],
  known: KnownClusterRoles,
  further: readonly PermittedRule[] = [],
  budget: RightsBudget = new RightsBudget(),
): readonly Atom[] {
  return [
    ...atomsOfGrants(grantsOf(objects, known, budget), budget),
    ...atomsOfWebhooks(objects, budget),
    ...objects.flatMap(atomsOfServedApi),
    ...objects.flatMap(atomsOfPods),
    ...objects.flatMap(atomsOfConsolePlugin),
    ...borrowedAccounts(objects).map(atomOfBorrowed),
    // at last: the objects of both sides have the same budget
    ...atomsOfGrants(further.flatMap(grantsOfPermitted), budget),
  ];
}

function grantsOfPermitted({ namespaces, ...rule }: PermittedRule): readonly Grant[] {
  return (namespaces ?? [EVERYWHERE]).map((scope) => ({ holder: OPERATOR, scope, rules: [rule], stated: [] }));
}

function atomsOfGrants(grants: readonly Grant[], budget: RightsBudget): readonly Atom[] {
  const spending = { budget, rest: new Remainder() };
  const atoms = grants.flatMap((grant) => [...atomsOfStated(grant, spending), ...atomsOfRules(grant, spending)]);
  const describe = (count: number, scope: string | undefined): string =>
    `has rules with ${count} combinations${scope === undefined ? '' : describeScope(scope)}`;
  return [...atoms, ...spending.rest.stated(describe)];
}

interface Spending {
  readonly budget: RightsBudget;
  /** The rights beyond the budget. */
  readonly rest: Remainder;
}

function atomsOfStated(grant: Grant, { budget, rest }: Spending): readonly Atom[] {
  const { holder, scope, stated } = grant;
  const where = describeScope(scope);
  const cost = stated.reduce((sum, { words }) => sum + costOfText(words + where), 0);
  if (budget.spend(cost))
    return stated.map((right) => ({ kind: 'stated', holder, right: { ...right, words: `${right.words}${where}` } }));
  rest.add(grant, stated, () => stated.length);
  return [];
}

/** Once the budget is spent, the rules go into the rest as one list, unread. */
function atomsOfRules(grant: Grant, { budget, rest }: Spending): readonly Atom[] {
  const { holder, scope, rules } = grant;
  const atoms: Atom[] = [];
  for (const [at, rule] of rules.entries()) {
    if (budget.spend(costOfRule(rule, holder.length + scope.length))) atoms.push(...atomsOfRule(rule, grant));
    else if (budget.spend(1)) rest.add(grant, rule, () => countParts(rule));
    else {
      const others = at === 0 ? rules : rules.slice(at);
      rest.add(grant, others, () => others.reduce((sum, one) => sum + countParts(one), 0));
      break;
    }
  }
  return atoms;
}

function atomsOfRule(rule: RightsRule, { holder, scope }: Grant): readonly Atom[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const names = resourceNames.length === 0 ? [ANY_NAME] : resourceNames;
  // a binding in a namespace grants none; several asterisks at the end are one
  const urls = scope === EVERYWHERE ? nonResourceURLs.map((url) => url.replace(/\*+$/, '*')) : [];
  const ofUrls = verbs.flatMap((verb) => urls.map((url): Atom => ({ kind: 'url', holder, url, verb })));
  const ofResources = verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((name): Atom => ({ kind: 'resource', holder, scope, group, resource, verb, name })),
      ),
    ),
  );
  return [...ofUrls, ...ofResources];
}

/** An APIService answers all requests for a group and version. */
function atomsOfServedApi(object: KubeObject): readonly Atom[] {
  const { group, version, service } = fieldsOf(object['spec']);
  if (groupKind(object) !== 'APIService.apiregistration.k8s.io' || service === undefined) return [];
  const words = `answers all requests for ${textOf(group)}/${textOf(version)}`;
  return [{ kind: 'stated', holder: OPERATOR, right: { words, danger: 'high' } }];
}

/** The ways in which Pods leave the limits of a container. */
function atomsOfPods(object: KubeObject): readonly Atom[] {
  return podsOf(object).flatMap(({ spec }) =>
    [...nodeAccess(spec), ...containersOf(spec).flatMap(({ container }) => containerAccess(container))].map(
      (words): Atom => ({
        kind: 'stated',
        holder: OPERATOR,
        right: { words, danger: 'high', because: 'so its Pods are not confined to their containers' },
      }),
    ),
  );
}

/** The console gives a proxy of a plugin the token of each user, if the plugin says so: in one of two ways, by its version. */
function atomsOfConsolePlugin(object: KubeObject): readonly Atom[] {
  if (groupKind(object) !== 'ConsolePlugin.console.openshift.io') return [];
  const proxies = listOf(fieldsOf(object['spec'])['proxy']);
  const withTokens = proxies.filter((proxy) => proxy['authorization'] === 'UserToken' || proxy['authorize'] === true);
  const stated = (right: Omit<OperatorRight, 'holder'>): Atom => ({ kind: 'stated', holder: OPERATOR, right });
  return [
    stated({ words: `may run the plugin ${object.metadata.name} in the OpenShift console`, danger: 'moderate' }),
    ...withTokens.map((proxy) => {
      const { namespace, name } = fieldsOf(fieldsOf(proxy['endpoint'] ?? proxy)['service']);
      const words = `receives the tokens of users of the OpenShift console at the Service ${textOf(namespace)}/${textOf(name)}`;
      return stated({ words, danger: 'critical', because: 'so it can act as them' });
    }),
  ];
}

/** The cluster decides about the rights of such an account; a default one has few. */
function atomOfBorrowed(account: string): Atom {
  const words = `may act as the ServiceAccount ${account}, which the bundle does not bring`;
  const isDefault = account.endsWith(`/${DEFAULT_ACCOUNT}`);
  const right = isDefault ? ({ words, danger: 'low' } as const) : ({ words, danger: 'high', isOpen: true } as const);
  return { kind: 'stated', holder: OPERATOR, right };
}

function nodeAccess(spec: Fields): readonly string[] {
  const shared = [
    ['hostNetwork', 'uses the network of its nodes'],
    ['hostPID', 'sees the processes of its nodes'],
    ['hostIPC', 'shares memory with the processes of its nodes'],
  ] as const;
  const paths = listOf(spec['volumes']).map(({ hostPath }) => textOf(fieldsOf(hostPath)['path']));
  return [
    ...shared.filter(([field]) => spec[field] === true).map(([, words]) => words),
    ...hostProcess(fieldsOf(spec['securityContext'])),
    ...paths.filter((path) => path !== '').map((path) => `mounts ${path} of its nodes`),
  ];
}

function containerAccess(container: Fields): readonly string[] {
  const security = fieldsOf(container['securityContext']);
  const added = textsOf(fieldsOf(security['capabilities'])['add']);
  return [
    ...(security['privileged'] === true ? ['runs privileged containers'] : []),
    ...(security['procMount'] === 'Unmasked' ? ['runs containers with an unmasked /proc'] : []),
    ...hostProcess(security),
    ...added.map((capability) => `runs containers with the capability ${capability}`),
  ];
}

/** Of a Pod or of a container. */
function hostProcess({ windowsOptions }: Fields): readonly string[] {
  return fieldsOf(windowsOptions)['hostProcess'] === true ? ['runs as processes of its Windows nodes'] : [];
}
