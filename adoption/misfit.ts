/**
 * Whether a Subscription of Slipway asks for the operator exactly as OLM runs it. Another configuration would replace its
 * Pods during the hand-over; it can be changed afterwards. Pure.
 */
import { canonicalJson } from '../api/json.ts';
import { fieldsOf, isRecord } from '../api/untyped.ts';
import type { KubeObject } from '../api/object.ts';

/** The fields that decide the objects of the operator. `package` cannot be changed later. */
const FIELDS = ['package', 'watchNamespaces', 'config'] as const;

/**
 * The first difference, with the remedy; undefined if there is none.
 *
 * @param spec That of Slipway's Subscription.
 * @param manifest The Subscription that would go on with the operator unchanged.
 */
export function misfitOf(spec: unknown, manifest: KubeObject): string | undefined {
  const [asked, had] = [fieldsOf(spec), fieldsOf(manifest['spec'])];
  const field = FIELDS.find((name) => normalized(asked[name]) !== normalized(had[name]));
  if (field !== undefined)
    return `spec.${field} is ${shown(asked[field])}, and OLM has ${shown(had[field])}. ${field === 'package' ? 'Create a Subscription of that package' : `Set it like OLM, and change it once the operator is adopted`}`;
  if (had['certificates'] !== undefined && asked['certificates'] !== had['certificates'])
    return `spec.certificates is ${shown(asked['certificates'])}, and cert-manager issues the certificates of its webhooks. Set it to ${shown(had['certificates'])}`;
  if (had['operatorCondition'] === undefined || asked['operatorCondition'] !== undefined) return undefined;
  return 'the operator uses its OperatorCondition. Set spec.operatorCondition to Always so that it keeps it, or to Never';
}

/** Lists of namespaces are sets, and an empty configuration is none. */
function normalized(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return canonicalJson(value.toSorted());
  return isRecord(value) && Object.keys(value).length === 0 ? 'none' : (canonicalJson(value) ?? 'none');
}

const MOST_SHOWN = 300;

function shown(value: unknown): string {
  return value === undefined ? 'absent' : canonicalJson(value).slice(0, MOST_SHOWN);
}
