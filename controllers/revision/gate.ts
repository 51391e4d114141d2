/**
 * Holds back what follows the workloads, admission webhooks above all, until the API server can read custom resources
 * in every version: before that, a webhook would be asked about objects that cannot be converted, and the API server
 * would refuse them. A step of roll-out.ts; what it asks is in conversions.ts.
 */
import type { Unready } from '../../apply/apply.ts';
import { isCrdEntry } from '../../apply/custom-resources.ts';
import { identityOf } from '../../apply/identity.ts';
import type { PhaseName } from '../../apply/phases.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { ConversionCheck, Conversions } from './conversions.ts';
import type { Judgement } from './summarize.ts';

export interface GateOptions {
  readonly conversions: Conversions;
  readonly revision: Revision;
  /** All objects of the Revision, as they are to be. */
  readonly objects: readonly KubeObject[];
  readonly check: Omit<ConversionCheck, 'crds'>;
}

export interface Gate {
  /** `confirm` of an apply: a CRD whose objects cannot be read, where there is one. */
  readonly confirm: (phase: PhaseName) => Promise<readonly Unready[]>;
  /** What asking came to; undefined where nothing was asked. */
  answer(): Judgement | undefined;
}

const WORKS: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };

export function createGate({ conversions, revision, objects, check }: GateOptions): Gate {
  const crds = objects.filter(isCrdEntry);
  let answer: Judgement | undefined;
  return {
    answer: () => answer,
    async confirm(phase) {
      const [crd] = crds;
      if (phase !== 'workloads' || crd === undefined) return [];
      answer = await conversions.confirm(revision, WORKS, { ...check, cluster: withOwn(check.cluster, objects), crds });
      if (answer.state === 'Ready') return [];
      return [{ ref: refOf(crd), health: { state: 'Progressing', message: answer.message } }];
    },
  };
}

/** The Services that webhooks name are mostly of the same Revision, and need not be read. */
function withOwn(cluster: ConversionCheck['cluster'], objects: readonly KubeObject[]): ConversionCheck['cluster'] {
  const services = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Service');
  const own = new Map(services.map((service) => [identityOf(refOf(service)), service]));
  return {
    list: (...args) => cluster.list(...args),
    get: async (ref, signal) => own.get(identityOf(ref)) ?? (await cluster.get(ref, signal)),
  };
}
