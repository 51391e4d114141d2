/** The parts of a Pod in `spec.config` beside the types of Kubernetes, as which the manager reads them: the API server drops the rest. */
import { expect, test } from 'vitest';
import { toStructuralSchema, type StructuralSchema } from '../api/crd/schema.ts';
import { OperatorConfig } from '../api/operator-config.ts';
import { KUBERNETES_TYPES } from '../bundles/typed/kubernetes-types.ts';

const STRUCTS = new Map(
  KUBERNETES_TYPES.trim()
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).split(';')] as const),
);

/** Each field without fields of its own: `.items[].key string`. */
function fieldsOfType(type: string): readonly string[] {
  if (type.startsWith('*')) return fieldsOfType(type.slice(1));
  if (type.startsWith('[]') || type.startsWith('{}'))
    return fieldsOfType(type.slice(2)).map((path) => `${type.slice(0, 2)}${path}`);
  const fields = STRUCTS.get(type);
  if (fields === undefined) return [` ${type}`];
  return fields.flatMap((field) => {
    const [name = '', below = ''] = field.trim().split(' ');
    return fieldsOfType(below).map((path) => `.${name.replace(/\?z?$/, '')}${path}`);
  });
}

const WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['integer', 'int'],
  ['boolean', 'bool'],
  ['string', 'string'],
  [undefined, 'quantity'],
]);

function fieldsOfSchema(node: StructuralSchema | undefined): readonly string[] {
  if (node?.items !== undefined) return fieldsOfSchema(node.items).map((path) => `[]${path}`);
  if (node?.additionalProperties !== undefined)
    return fieldsOfSchema(node.additionalProperties).map((path) => `{}${path}`);
  if (node?.properties === undefined) return [` ${WORDS.get(node?.type)}`];
  return Object.entries(node.properties).flatMap(([name, below]) =>
    fieldsOfSchema(below).map((path) => `.${name}${path}`),
  );
}

const config = toStructuralSchema(OperatorConfig).properties ?? {};

/** A claim gets only labels and annotations from its template; Kubernetes refuses the others. */
const REFUSED = /^\[\]\.ephemeral\.volumeClaimTemplate\.metadata\.(?!labels|annotations)/;

test.each([
  { field: 'affinity', type: 'Affinity', node: config['affinity'] },
  { field: 'volumes', type: '[]Volume', node: config['volumes'] },
  { field: 'tolerations', type: '[]Toleration', node: config['tolerations'] },
  { field: 'volumeMounts', type: '[]VolumeMount', node: config['volumeMounts'] },
  { field: 'valueFrom', type: 'EnvVarSource', node: config['env']?.items?.properties?.['valueFrom'] },
])('$field has exactly the fields that a Pod has, and their types', ({ type, node }) => {
  const ofKubernetes = fieldsOfType(type).filter((path) => !REFUSED.test(path));
  expect(fieldsOfSchema(node).toSorted()).toEqual(ofKubernetes.toSorted());
});
