/**
 * Whether the installed operator holds its upgrades by its OperatorCondition, as OLM v0 reads it: an override of a person
 * decides, then the report of the operator. Pure; condition-to-read.ts decides when the object is read.
 */
import { UPGRADEABLE } from '../../api/operator-condition.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';

/** The longest reason and message of an operator in a sentence. */
const MOST_WORDS = 1000;

/** Why the operator is not to be upgraded, in the words of the operator or of the person; undefined if it may be. */
export function refusalIn(object: KubeObject | undefined): string | undefined {
  if (object === undefined) return undefined;
  const { overrides, conditions } = fieldsOf(object['spec']);
  const override = upgradeableIn(overrides);
  if (override !== undefined)
    return override['status'] === 'True' ? undefined : `spec.overrides says ${wordsOf(override)}`;
  const reported = upgradeableIn(conditions);
  return reported === undefined ? refusalInStatus(object) : refusalOf(reported);
}

/** Operators that use the version v1 write the status; OLM copies the spec of later ones into it. */
function refusalInStatus({ metadata, status }: KubeObject): string | undefined {
  const reported = upgradeableIn(fieldsOf(status)['conditions']);
  if (reported === undefined) return undefined;
  const { observedGeneration } = reported;
  const isOutdated = typeof observedGeneration === 'number' && observedGeneration !== metadata.generation;
  return isOutdated
    ? `its condition Upgradeable is about generation ${observedGeneration} of ${metadata.generation}`
    : refusalOf(reported);
}

/** As with OLM v0, Unknown holds nothing. */
function refusalOf(reported: Fields): string | undefined {
  return reported['status'] === 'False' ? `the operator reports ${wordsOf(reported)}` : undefined;
}

function upgradeableIn(conditions: unknown): Fields | undefined {
  return listOf(conditions).find(({ type }) => type === UPGRADEABLE);
}

function wordsOf({ status, reason, message }: Fields): string {
  const words = [reason, message].map(textOf).filter((text) => text !== '');
  return `${UPGRADEABLE}=${textOf(status)} (${words.join(': ').slice(0, MOST_WORDS)})`;
}

/** The cause of the wait, with the command that ends it, as the rest of a sentence that begins with the bundle. */
export function describeRefusal({ metadata }: KubeObject, refusal: string): string {
  const override = { type: UPGRADEABLE, status: 'True', reason: 'Overridden', message: 'Upgrade all the same' };
  const patch = JSON.stringify({ spec: { overrides: [override] } });
  return `waits: ${refusal}. It goes on when the operator reports otherwise; to upgrade all the same: kubectl -n ${metadata.namespace} patch operatorconditions.operators.coreos.com ${metadata.name} --type merge -p '${patch}'`;
}
