/**
 * The OperatorCondition by which an operator holds its own upgrades, as OLM v0 provides it: the object, the rights of the
 * operator on it, and the variable that names it. Rendered only if it is asked for: OLM v1 has none. See decision 33.
 */
import type { KubeObject } from '../../api/object.ts';
import { OPERATOR_CONDITION } from '../../api/operator-condition.ts';
import { textOf } from '../../api/untyped.ts';
import type { Bundle, Container, CsvDeployment, PolicyRule } from '../bundle.ts';
import type { Deployment } from './model.ts';
import type { RenderContext } from './options.ts';
import { RBAC, RBAC_GROUP } from './roles.ts';

/** The variable from which operators read the name of their OperatorCondition. */
const OPERATOR_CONDITION_NAME = 'OPERATOR_CONDITION_NAME';

const RESOURCES = ['operatorconditions', 'operatorconditions/status'];
const GROUP = 'operators.coreos.com';

/**
 * Whether the bundle shows that the operator uses one: it asks for rights on OperatorConditions, or names the variable.
 * An operator for which OLM v0 grants the rights may show nothing.
 */
export function usesOperatorCondition({ csv }: Bundle): boolean {
  const { permissions = [], clusterPermissions = [], deployments = [] } = csv.spec.install.spec ?? {};
  const rules = [...permissions, ...clusterPermissions].flatMap((permission) => permission.rules ?? []);
  return rules.some(isAboutConditions) || deployments.some(namesVariable);
}

function isAboutConditions({ apiGroups = [], resources = [] }: PolicyRule): boolean {
  return apiGroups.includes(GROUP) && resources.some((resource) => RESOURCES.includes(resource));
}

function namesVariable({ spec }: CsvDeployment): boolean {
  return (spec.template.spec.containers ?? []).some(hasVariable);
}

function hasVariable({ env = [] }: Container): boolean {
  return env.some(({ name }) => name === OPERATOR_CONDITION_NAME);
}

/** The object and the rights on it. Fields of its spec belong to the operator, and to the person who overrides it. */
export function renderOperatorCondition({ bundle, options }: RenderContext): readonly KubeObject[] {
  if (options.operatorCondition !== true) return [];
  const { namespace } = options;
  const { name } = bundle.csv;
  const metadata = { name: `${name}-operator-condition`, namespace };
  const verbs = ['get', 'update', 'patch'];
  return [
    { ...OPERATOR_CONDITION, metadata: { name, namespace }, spec: {} },
    {
      apiVersion: RBAC,
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: [GROUP], resources: RESOURCES, resourceNames: [name], verbs }],
    },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: metadata.name },
      subjects: accountsOf(bundle).map((account) => ({ kind: 'ServiceAccount', name: account, namespace })),
    },
  ];
}

/** The accounts of the Pods. */
function accountsOf({ csv }: Bundle): readonly string[] {
  const deployments = csv.spec.install.spec?.deployments ?? [];
  const names = deployments.map(({ spec }) => textOf(spec.template.spec['serviceAccountName']));
  return [...new Set(names.map((name) => (name === '' ? 'default' : name)))].sort();
}

/** The Deployment with the variable in every container, last as OLM v0 has it, so that an adoption replaces no Pod. */
export function withOperatorCondition(deployment: Deployment, { bundle, options }: RenderContext): Deployment {
  const { template } = deployment.spec;
  const { containers } = template.spec;
  if (options.operatorCondition !== true || containers === null) return deployment;
  const variable = { name: OPERATOR_CONDITION_NAME, value: bundle.csv.name };
  const named = containers.map((container) =>
    hasVariable(container) ? container : { ...container, env: [...(container.env ?? []), variable] },
  );
  const pod = { ...template.spec, containers: named };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, spec: pod } } };
}
