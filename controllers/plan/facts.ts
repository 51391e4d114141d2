/**
 * Asks the cluster for the facts that a plan depends on: about CRDs that change, objects that are to be created, and roles
 * that the bundle does not contain; an unchanged object costs no request. A fact that cannot be read is left out, and so
 * is not known.
 */
import { isCrd } from '../../api/crd-kind.ts';
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import { ReasonedError } from '../../api/errors.ts';
import { groupKind, refOf } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { isProven, judgeOwnership } from '../../apply/collision.ts';
import { canonicalJson } from '../../api/json.ts';
import { describeFormerFields } from '../../apply/former-fields.ts';
import type { CrdVerdict } from '../../apply/crd-safety/compare.ts';
import { guardCrd } from '../../apply/crd-safety/guard.ts';
import { countInstances, listedIn } from '../../apply/custom-resources.ts';
import { identityOf } from '../../apply/identity.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import type { Owner } from '../../apply/prepare.ts';
import { kindsDefinedIn } from '../../apply/phases.ts';
import { describePlanted, plantedOn } from '../../apply/planted.ts';
import { createSlots } from '../../apply/slots.ts';
import type { Client } from '../../kube/client/client.ts';
import type { PlanClusterFacts, PlanInput } from '../../plan/input.ts';
import { compareSets } from '../../plan/objects.ts';
import { rulesOf, type RightsRule } from '../../plan/rights/rule.ts';

/** The clients that read the facts; each the same one for a person who asks for a plan. */
export interface FactsClients {
  /** As the account that applies the objects: it learns no owner or role that the API server does not show to it. */
  readonly acting: Pick<Client, 'get'>;
  /** Reads CRDs and counts their custom resources. */
  readonly cluster: Client;
}

export interface FactsQuestion {
  readonly input: PlanInput;
  readonly subscription: Subscription;
  readonly inventory: readonly InventoryEntry[];
  /** The only namespace whose custom resources a finding names; absent: all are named. */
  readonly namedIn?: string | undefined;
  readonly signal: AbortSignal;
  /** Aborts when the time to read the facts is over; absent: there is enough time. */
  readonly limit?: AbortSignal | undefined;
}

const AT_ONCE = 8;

/** The facts, those that were read within the limit. Throws if `signal` aborts, and for nothing else. */
export async function gatherFacts(clients: FactsClients, question: FactsQuestion): Promise<PlanClusterFacts> {
  const { input, signal } = question;
  const [before, after] = [input.from?.objects ?? [], input.to?.objects ?? []];
  const { created, changed, deleted } = compareSets(before, after);
  const gatherer = new Gatherer(clients, question);
  const nextOf = new Map(changed.map((pair) => [pair.after.metadata.name, pair.after] as const));
  const crds = [...changed.map((pair) => pair.before), ...deleted].filter(isCrd);
  await Promise.all([
    ...created.map((object) => gatherer.readExisting(object)),
    ...changed.filter(mayHaveFormerFields).map((pair) => gatherer.readFormer(pair.after)),
    ...crds.map((crd) => gatherer.readCrd(crd, nextOf.get(crd.metadata.name))),
    ...foreignRoles([...before, ...after]).map((name) => gatherer.readRole(name)),
  ]);
  signal.throwIfAborted();
  return gatherer.facts();
}

/** Names of ClusterRoles that are bound, and that the objects do not contain. */
function foreignRoles(objects: readonly KubeObject[]): readonly string[] {
  const own = new Set(
    objects.filter((object) => groupKind(object) === CLUSTER_ROLE).map(({ metadata }) => metadata.name),
  );
  const bound = objects.flatMap(({ roleRef }) => {
    const { kind, name } = fieldsOf(roleRef);
    return kind === 'ClusterRole' ? [textOf(name)] : [];
  });
  return [...new Set(bound)].filter((name) => !own.has(name));
}

/** OLM's fields go with the Pods that are replaced anyway, and with each change of a Service. */
function mayHaveFormerFields({ before, after }: { readonly before: KubeObject; readonly after: KubeObject }): boolean {
  const [old, next] = [before, after].map(({ spec }) => canonicalJson(fieldsOf(spec)['template']));
  return groupKind(after) === 'Service' || (groupKind(after) === 'Deployment.apps' && old !== next);
}

const CLUSTER_ROLE = 'ClusterRole.rbac.authorization.k8s.io';

class Gatherer {
  readonly #clients: FactsClients;
  readonly #question: FactsQuestion;
  readonly #owner: Owner;
  readonly #signal: AbortSignal;
  readonly #slots = createSlots(AT_ONCE);
  readonly #customResources = new Map<string, number>();
  readonly #storedVersions = new Map<string, readonly string[]>();
  readonly #verdicts = new Map<string, CrdVerdict>();
  readonly #clusterRoles = new Map<string, readonly RightsRule[]>();
  readonly #formerFields = new Map<string, readonly string[]>();
  readonly #unserved = new Set<string>();
  readonly #defined: ReadonlySet<string>;
  #isCutShort = false;
  readonly #existing = new Map<string, 'absent' | 'ours' | { readonly owner: string }>();

  constructor(clients: FactsClients, question: FactsQuestion) {
    this.#clients = clients;
    this.#question = question;
    const { namespace = '', name, uid } = question.subscription.metadata;
    this.#defined = new Set(kindsDefinedIn(question.input.to?.objects ?? []));
    const { signal, limit } = question;
    this.#signal = limit === undefined ? signal : AbortSignal.any([signal, limit]);
    this.#owner = { namespace, name, ...(uid !== undefined && { uid }) };
  }

  facts(): PlanClusterFacts {
    return {
      customResources: this.#customResources,
      storedVersions: this.#storedVersions,
      verdicts: this.#verdicts,
      clusterRoles: this.#clusterRoles,
      existing: this.#existing,
      unserved: this.#unserved,
      formerFields: this.#formerFields,
      ...(this.#isCutShort && { isCutShort: true }),
    };
  }

  readExisting(object: KubeObject): Promise<void> {
    const ref = refOf(object);
    return this.#read(this.#clients.acting, ref, async (live) => {
      if (live === undefined && !(await this.#isServed(object))) this.#unserved.add(identityOf(ref));
      this.#existing.set(identityOf(ref), live === undefined ? 'absent' : this.#stateOf(object, live));
    });
  }

  readFormer(object: KubeObject): Promise<void> {
    const ref = refOf(object);
    return this.#read(this.#clients.acting, ref, (live) => {
      const paths = live === undefined ? [] : describeFormerFields(object, live);
      if (paths.length > 0) this.#formerFields.set(identityOf(ref), paths);
    });
  }

  /** Now, or once the CRDs of the bundle are there. */
  async #isServed(object: KubeObject): Promise<boolean> {
    if (this.#defined.has(groupKind(object))) return true;
    return (await this.#clients.cluster.isNamespaced(object, this.#signal)) !== undefined;
  }

  #stateOf(object: KubeObject, live: KubeObject): 'ours' | { readonly owner: string } {
    const owner = this.#owner;
    const ownership = judgeOwnership(live, owner);
    if (ownership.kind !== 'ours' && ownership.kind !== 'adopted') return { owner: ownership.owner };
    const isApplied = this.#question.inventory.some(({ uid }) => isProven(live, uid));
    const planted = isApplied ? undefined : plantedOn(object, live, { owner, ownership });
    return planted === undefined ? 'ours' : { owner: describePlanted(planted) };
  }

  /** @param next The CRD that is to replace it; absent: it is deleted. */
  readCrd(crd: KubeObject, next: KubeObject | undefined): Promise<void> {
    const { name } = crd.metadata;
    const { cluster } = this.#clients;
    return this.#read(cluster, refOf(crd), async (live) => {
      if (live === undefined || this.#isForeign(live)) return;
      const { storedVersions } = fieldsOf(live['status']);
      if (Array.isArray(storedVersions)) this.#storedVersions.set(name, storedVersions.map(textOf));
      const { inventory, namedIn, input, signal, limit } = this.#question;
      const { count } = await countInstances(cluster, live, {
        isListed: listedIn(inventory, this.#owner),
        signal: this.#signal,
      });
      if (count !== 'unknown') this.#customResources.set(name, count);
      if (next === undefined) return;
      const listPage = cluster.listPage.bind(cluster);
      const waivers = input.waivers ?? [];
      this.#verdicts.set(name, await guardCrd(live, next, { listPage, waivers, namedIn, signal, limit }));
    });
  }

  /** It is read as the manager: with the schemas of a bundle a tenant would learn what the objects of others contain. */
  #isForeign(live: KubeObject): boolean {
    const known = this.#question.inventory.find((entry) => identityOf(entry) === identityOf(refOf(live)));
    return judgeOwnership(live, this.#owner, known?.uid).kind === 'foreign';
  }

  readRole(name: string): Promise<void> {
    const ref = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name };
    return this.#read(this.#clients.acting, ref, (live) => {
      if (live !== undefined) this.#clusterRoles.set(name, rulesOf(live));
    });
  }

  /** Reads an object and notes it; if it cannot be read, nothing is noted, and the fact is not known. */
  async #read(
    client: Pick<Client, 'get'>,
    ref: ObjectRef,
    note: (live: KubeObject | undefined) => void | Promise<void>,
  ): Promise<void> {
    try {
      await this.#slots(async () => {
        this.#signal.throwIfAborted();
        await note(await client.get(ref, this.#signal));
      });
    } catch (error) {
      if (isLate(error, this.#question.limit)) this.#isCutShort = true;
      else if (!(error instanceof ReasonedError)) throw error;
    }
  }
}

/** Whether work ended since its time was over. */
export function isLate(error: unknown, limit: AbortSignal | undefined): boolean {
  return limit?.aborted === true && error === limit.reason;
}
