/**
 * Makes the plan of a change from the objects of both sides and the known facts of the cluster: an installation, an
 * upgrade, a downgrade or an uninstall. The command line calls it offline and against a cluster, and the manager
 * calls it before it writes. It reads nothing and writes nothing; the same input gives the same plan and the same hash.
 */
import { identityOf } from '../apply/identity.ts';
import { isCrd } from '../api/crd-kind.ts';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { planAdditions } from './additions.ts';
import { planCrds } from './crds.ts';
import { compareDependencies } from './dependencies.ts';
import { hashPlan } from './hash.ts';
import { compareImages } from './images.ts';
import type { PlanClusterFacts, PlanInput, PlannedSide } from './input.ts';
import { NOT_KNOWN, type Plan, type PlannedVersion, type WayBack } from './model.ts';
import { compareSets, describeObjects, type ComparedObjects } from './objects.ts';
import { planRestarts } from './restarts.ts';
import { compareRights } from './rights/compare.ts';
import { judgeRisk, type RiskFacts } from './risk.ts';
import { compareWebhooks } from './webhooks.ts';

/**
 * The plan. Throws ObjectInvalid (never retried) for a CRD whose schema is too large to compare.
 */
export function planChange(input: PlanInput): Plan {
  const { from, to, facts = {} } = input;
  const [before, after] = [from?.objects ?? [], to?.objects ?? []];
  const compared = compareSets(before, after);
  const plan: RiskFacts = {
    package: input.package,
    subscription: input.subscription,
    ...(from !== undefined && { from: versionOf(from) }),
    ...(to !== undefined && { to: versionOf(to) }),
    objects: describeObjects(compared, input),
    additions: planAdditions(input),
    rights: compareRights(before, after, facts.clusterRoles),
    images: compareImages(before, after),
    crds: planCrds(compared, input),
    webhooks: compareWebhooks(before, after),
    dependencies: compareDependencies(from?.properties ?? [], to?.properties ?? []),
    restarts: planRestarts(compared.changed),
    unknown: unknownFacts(compared, facts),
  };
  const risk = judgeRisk({ input, compared, plan });
  return { ...plan, hash: hashPlan(input), risk, wayBack: wayBackOf(risk) };
}

function versionOf({ bundle, version, image, signedBy, unsigned }: PlannedSide): PlannedVersion {
  return {
    bundle,
    version,
    ...(image !== undefined && { image }),
    ...(signedBy !== undefined && { signedBy }),
    ...(unsigned !== undefined && { unsigned }),
  };
}

function wayBackOf({ reasons }: Plan['risk']): WayBack {
  const because = reasons.filter(({ level }) => level === 'irreversible').map(({ message }) => message);
  return { exists: because.length === 0, because };
}

/** Facts that the plan depends on and does not have. */
function unknownFacts({ created, changed, deleted }: ComparedObjects, facts: PlanClusterFacts): readonly string[] {
  const crds = [...changed.map(({ before }) => before), ...deleted].filter(isCrd);
  const names = (isUnknown: (name: string) => boolean): readonly string[] =>
    crds.map(({ metadata }) => metadata.name).filter(isUnknown);
  const uncounted = names((name) => facts.customResources?.get(name) === undefined);
  const unread = names((name) => facts.storedVersions?.get(name) === undefined);
  return [
    ...uncounted.map((name) => `how many custom resources of ${name} exist (${NOT_KNOWN})`),
    ...unread.map((name) => `in which versions objects of ${name} are stored (${NOT_KNOWN})`),
    ...unknownObjects(created, facts),
    ...(facts.isCutShort === true ? [CUT_SHORT] : []),
  ];
}

/** Some facts are not listed one by one: objects that a CRD hurts, and fields that OLM left. */
const CUT_SHORT = `any further fact of the cluster, as the time to read them was over (${NOT_KNOWN})`;

/** One sentence for all if the cluster was not asked, else one for each object that could not be read. */
function unknownObjects(created: readonly KubeObject[], { existing }: PlanClusterFacts): readonly string[] {
  if (existing === undefined)
    return created.length === 0 ? [] : [`whether objects that are to be created exist already (${NOT_KNOWN})`];
  return created
    .map(refOf)
    .filter((ref) => !existing.has(identityOf(ref)))
    .map((ref) => `whether ${describeRef(ref)} exists already (${NOT_KNOWN})`);
}
