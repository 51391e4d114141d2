/** The columns of `slipway get`: those that the CRDs give to kubectl, and further ones that only `-o wide` shows. Pure. */
import { CATALOG } from '../../../api/catalog.ts';
import type { CustomKind, PrinterColumn } from '../../../api/kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { REGISTRY_POLICY } from '../../../api/registry-policy.ts';
import { REVISION } from '../../../api/revision.ts';
import { SUBSCRIPTION } from '../../../api/subscription.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { describeAge } from '../../../report/age.ts';

/** The kinds of Slipway, in the order in which `get all` shows them. */
export const KINDS: readonly CustomKind[] = [SUBSCRIPTION, REVISION, CATALOG, REGISTRY_POLICY];

/** The kind of that name; one that is not of Slipway is a defect. */
export function findKind(name: string): CustomKind {
  const kind = KINDS.find((one) => one.kind === name);
  if (kind === undefined) throw new Error(`${name} is no kind of Slipway`);
  return kind;
}

export interface TableOptions {
  readonly wide: boolean;
  /** Begins with the column NAMESPACE. */
  readonly namespaces: boolean;
  readonly now: Date;
}

/** The header of the table of a kind. */
export function headerOf(kind: CustomKind, { wide, namespaces }: Omit<TableOptions, 'now'>): readonly string[] {
  const columns = columnsOf(kind, wide).map(({ name }) => name.toUpperCase());
  return [...(namespaces && kind.scope === 'Namespaced' ? ['NAMESPACE'] : []), 'NAME', ...columns];
}

/** The row of an object. */
export function rowOf(
  kind: CustomKind,
  object: KubeObject,
  { wide, namespaces, now }: TableOptions,
): readonly string[] {
  const { name, namespace = '' } = object.metadata;
  const cells = columnsOf(kind, wide).map((column) => cellOf(column, object, now));
  return [...(namespaces && kind.scope === 'Namespaced' ? [namespace] : []), name, ...cells];
}

type Column = Pick<PrinterColumn, 'name' | 'type' | 'jsonPath'>;

/** The sentence comes last, since a narrow terminal cuts it. */
function columnsOf({ kind, columns }: CustomKind, wide: boolean): readonly Column[] {
  const shown = columns.filter((column) => wide || column.wide !== true);
  return wide ? [...shown.slice(0, -1), ...(FURTHER.get(kind) ?? []), ...shown.slice(-1)] : shown;
}

const REASON: Column = { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' };

const FURTHER: ReadonlyMap<string, readonly Column[]> = new Map([
  [
    'Subscription',
    [
      { name: 'Revision', type: 'string', jsonPath: '.status.installed.revision' },
      { name: 'Pending', type: 'string', jsonPath: '.status.pending.version' },
      { name: 'Approval', type: 'string', jsonPath: '.spec.approval' },
      REASON,
    ],
  ],
  ['Revision', [{ name: 'Catalog', type: 'string', jsonPath: '.spec.catalog' }, REASON]],
  ['Catalog', [{ name: 'Channels', type: 'integer', jsonPath: '.status.channels' }, REASON]],
  ['RegistryPolicy', [REASON]],
]);

function cellOf({ type, jsonPath }: Column, object: KubeObject, now: Date): string {
  const value = valueAt(object, jsonPath);
  if (type === 'date') return describeAge(textOf(value), now);
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) ? String(value) : '';
}

/**
 * The value at a path of the two forms that the columns have: fields, and the condition of a type. Undefined if it is
 * absent. @throws Error for a path of another form
 */
export function valueAt(object: KubeObject, jsonPath: string): unknown {
  const steps = jsonPath.match(STEP) ?? [];
  if (steps.join('') !== jsonPath) throw new Error(`a column has a path of an unknown form: ${jsonPath}`);
  return steps.reduce<unknown>((value, step) => {
    const type = OF_TYPE.exec(step)?.[1];
    return type === undefined
      ? fieldsOf(value)[step.slice(1)]
      : listOf(value).find((condition) => condition['type'] === type);
  }, object);
}

const OF_TYPE = /^\[\?\(@\.type=="(\w+)"\)\]$/;
const STEP = /\.\w+|\[\?\(@\.type=="\w+"\)\]/g;
