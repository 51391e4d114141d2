/** Takes the rights of objects apart into atoms: rules of roles, webhooks, served APIs, and access of Pods to nodes. Pure. */
import { canonicalJson } from '../../api/json.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import { containersOf, podsOf } from '../pods.ts';
import { ANY_NAME, EVERYWHERE, type Atom } from './atom.ts';
import { describeScope, grantsOf, OPERATOR, type Grant, type KnownClusterRoles } from './grants.ts';
import { textsOf, type RightsRule } from './rule.ts';

/** A rule with more parts is compared as a whole: a hostile one of a megabyte has more parts than memory can hold. */
const MOST_PARTS = 50_000;
/** Parts of all rules of one side. */
const MOST_PARTS_OF_ALL = 400_000;

/** A rule that an operator may be granted beside those that its bundle grants. */
export interface PermittedRule extends RightsRule {
  /** Absent: everywhere. */
  readonly namespaces?: readonly string[];
}

/** Every right that some objects give, and the operator's rights by further rules, in parts. */
export function atomsOf(
  objects: readonly KubeObject[],
  known: KnownClusterRoles,
  further: readonly PermittedRule[] = [],
): readonly Atom[] {
  const budget = { left: MOST_PARTS_OF_ALL };
  return [
    ...[...grantsOf(objects, known), ...further.flatMap(grantsOfPermitted)].flatMap((grant) =>
      atomsOfGrant(grant, budget),
    ),
    ...objects.flatMap(atomsOfWebhooks),
    ...objects.flatMap(atomsOfServedApi),
    ...objects.flatMap(atomsOfPods),
  ];
}

function grantsOfPermitted({ namespaces, ...rule }: PermittedRule): readonly Grant[] {
  return (namespaces ?? [EVERYWHERE]).map((scope) => ({ holder: OPERATOR, scope, rules: [rule] }));
}

interface AtomBudget {
  left: number;
}

function atomsOfGrant(grant: Grant, budget: AtomBudget): readonly Atom[] {
  const { holder, rules, stated } = grant;
  const open: readonly Atom[] = stated === undefined ? [] : [{ kind: 'stated', holder, right: stated }];
  return [...open, ...rules.flatMap((rule) => atomsOfRule(rule, grant, budget))];
}

function atomsOfRule(rule: RightsRule, { holder, scope }: Grant, budget: AtomBudget): readonly Atom[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const names = resourceNames.length === 0 ? [ANY_NAME] : resourceNames;
  const parts = verbs.length * (apiGroups.length * resources.length * names.length + nonResourceURLs.length);
  if (parts > Math.min(MOST_PARTS, budget.left)) return [wholeRule(rule, { holder, scope }, parts)];
  budget.left -= parts;
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

function wholeRule(rule: RightsRule, { holder, scope }: Pick<Grant, 'holder' | 'scope'>, parts: number): Atom {
  const words = `has a rule with ${parts} combinations${describeScope(scope)}, which are too many to compare (${shortHash(rule)})`;
  return { kind: 'stated', holder, right: { words, danger: 'critical', isOpen: true } };
}

/** Distinguishes rules that are too large to be shown. */
function shortHash(rule: RightsRule): string {
  let hash = 7;
  for (const character of canonicalJson(rule)) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash.toString(16);
}

const ADMISSION = 'admissionregistration.k8s.io';
const EFFECTS: ReadonlyMap<string, 'change' | 'reject'> = new Map([
  [`MutatingWebhookConfiguration.${ADMISSION}`, 'change'],
  [`ValidatingWebhookConfiguration.${ADMISSION}`, 'reject'],
]);

/** The effect of the webhooks of a configuration; undefined for any other object. */
export function webhookEffect(object: KubeObject): 'change' | 'reject' | undefined {
  return EFFECTS.get(groupKind(object));
}

function atomsOfWebhooks(object: KubeObject): readonly Atom[] {
  const effect = webhookEffect(object);
  if (effect === undefined) return [];
  return listOf(object['webhooks']).flatMap((webhook) =>
    listOf(webhook['rules']).flatMap((rule) =>
      textsOf(rule['apiGroups']).flatMap((group) =>
        textsOf(rule['resources']).flatMap((resource) =>
          textsOf(rule['operations']).map((operation): Atom => ({
            kind: 'webhook',
            holder: OPERATOR,
            effect,
            group,
            resource,
            operation,
            selector: selectorOf(webhook, rule),
          })),
        ),
      ),
    ),
  );
}

/**
 * The limits of a webhook beside groups, resources and operations; empty if there are none. Versions limit it only if they
 * must match exactly: by default a write in another version is converted, and intercepted as well.
 */
function selectorOf(webhook: Fields, rule: Fields): string {
  const versions = textsOf(rule['apiVersions']);
  const scope = textOf(rule['scope']);
  const limits = {
    namespaces: emptyAsAbsent(webhook['namespaceSelector']),
    objects: emptyAsAbsent(webhook['objectSelector']),
    conditions: emptyAsAbsent(webhook['matchConditions']),
    ...(webhook['matchPolicy'] === 'Exact' && !versions.includes('*') && { versions: [...versions].sort() }),
    ...(scope === '' || scope === '*' ? {} : { scope }),
  };
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  return set.length === 0 ? '' : canonicalJson(Object.fromEntries(set));
}

function emptyAsAbsent(value: unknown): unknown {
  return Object.keys(fieldsOf(value)).length === 0 ? undefined : value;
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

function nodeAccess(spec: Fields): readonly string[] {
  const shared = [
    ['hostNetwork', 'uses the network of its nodes'],
    ['hostPID', 'sees the processes of its nodes'],
    ['hostIPC', 'shares memory with the processes of its nodes'],
  ] as const;
  const paths = listOf(spec['volumes']).map(({ hostPath }) => textOf(fieldsOf(hostPath)['path']));
  return [
    ...shared.filter(([field]) => spec[field] === true).map(([, words]) => words),
    ...paths.filter((path) => path !== '').map((path) => `mounts ${path} of its nodes`),
  ];
}

function containerAccess(container: Fields): readonly string[] {
  const security = fieldsOf(container['securityContext']);
  const added = textsOf(fieldsOf(security['capabilities'])['add']);
  return [
    ...(security['privileged'] === true ? ['runs privileged containers'] : []),
    ...added.map((capability) => `runs containers with the capability ${capability}`),
  ];
}
