/**
 * Decides for each existing CRD whether a Revision may change it, with the enforcement of the Subscription. A CRD
 * change that could hurt custom resources rejects the whole roll-out, before the first write. In a rollback to a
 * Revision that has worked, such a CRD is left as it is instead: the operator that worked matters more than its older
 * schema.
 */
import type { Permission, Permit } from '../../apply/apply.ts';
import { guardCrd, type ListPage } from '../../apply/crd-safety/guard.ts';
import {
  describeFinding,
  isDangerous,
  unsafeError,
  type CrdVerdict,
  type Waiver,
} from '../../apply/crd-safety/compare.ts';
import { converterOf, type IsGoing } from '../../apply/retain-readable.ts';
import { isCrd } from '../../api/crd-kind.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { hasWorked, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { accountOf } from './account.ts';
import { adviceAbout } from './unserved-conversions.ts';

export interface CrdSafetyOptions {
  /** As the manager: an account that may change CRDs need not be able to read their objects. */
  readonly listPage: ListPage;
  readonly signal: AbortSignal;
  /** Whether a Service is a leftover, which is pruned after the bake time. */
  readonly isGoing: IsGoing;
  /** Called for a CRD that is left as it is, with a sentence. */
  readonly onLeft: (message: string) => void;
}

/** The permission for the objects of a Revision; for kinds other than CRDs every change is permitted. */
export function permitCrds(
  { revision, subscription }: { readonly revision: Revision; readonly subscription: Subscription | undefined },
  options: CrdSafetyOptions,
): Permit {
  const { enforcement = 'Enforce', waivers = [] } = subscription?.spec.crdUpgradeSafety ?? {};
  const returns = hasWorked(revision);
  const namedIn = accountOf({ revision, subscription })?.namespace;
  return async (object, live) => {
    if (!isCrd(object) || (enforcement === 'None' && !returns)) return CHANGE;
    const verdict = await guardCrd(live, object, { ...options, waivers, namedIn });
    if (returns) return judgeReturn(live, verdict, { enforcement, ...options });
    return judgeAdvance(verdict, waivers);
  };
}

const CHANGE: Permission = { kind: 'change' };

function judgeAdvance(verdict: CrdVerdict, waivers: readonly Waiver[]): Permission {
  const error = unsafeError([verdict], waivers);
  if (error === undefined) return CHANGE;
  const { reason, retry, message, hint } = error;
  return { kind: 'refuse', failure: { reason, retry, message, ...(hint !== undefined && { hint }) } };
}

interface ReturnOptions extends Pick<CrdSafetyOptions, 'isGoing' | 'onLeft'> {
  readonly enforcement: 'Enforce' | 'None';
}

/** A version in which objects are stored is never removed, whatever the enforcement: the API server would reject it. */
function judgeReturn(
  live: KubeObject,
  verdict: CrdVerdict,
  { enforcement, isGoing, onLeft }: ReturnOptions,
): Permission {
  const first = verdict.findings.find(
    (finding) => finding.rule === 'storedVersionRemoval' || (enforcement === 'Enforce' && isDangerous(finding)),
  );
  if (first === undefined) return CHANGE;
  const service = converterOf(live);
  const advice = service !== undefined && isGoing(service) ? `. ${adviceAbout(live, service)}` : '';
  onLeft(
    `${describeRef(refOf(live))} stays as it is: to change it back could lose or refuse objects that exist (${describeFinding(first)})${advice}`,
  );
  return { kind: 'leave' };
}
