/** The pull secrets that policies offer to the Pods of a namespace. Reads caches only. */
import { matchesSelector, selectorProblem } from '../../../resolver/selector.ts';
import type { KubeObject } from '../../../api/object.ts';
import { textOf } from '../../../api/untyped.ts';
import { longestOver } from '../../../oci/mirrors.ts';
import type { OfferedSecret, RegistryPolicies } from '../../registry-policies.ts';

/** A Secret of the manager's namespace that may be copied. */
export interface SourceSecret {
  readonly name: string;
  /** Its uid and resourceVersion. */
  readonly version: string;
  readonly dockerConfig: string;
}

export interface PullSecretOffers {
  /** The Secret offered for images of a repository, by its complete name, to a namespace; undefined if there is none. */
  of(name: string, namespace: string): readonly SourceSecret[];
  /** Another text whenever the offers to a namespace have changed; empty if there are none. */
  fingerprint(namespace: string): string;
}

export interface OfferFacts {
  readonly policies: RegistryPolicies;
  /** By `namespace/name`. */
  readonly secrets: { get(key: string): KubeObject | undefined };
  readonly namespaces: { get(key: string): KubeObject | undefined };
  /** The manager's namespace. */
  readonly namespace: string;
}

export function createPullSecretOffers(facts: OfferFacts): PullSecretOffers {
  const isOffered = ({ copyTo }: OfferedSecret, namespace: string): boolean =>
    copyTo !== undefined &&
    selectorProblem(copyTo) === undefined &&
    matchesSelector(copyTo, facts.namespaces.get(namespace)?.metadata.labels);
  return {
    of(name, namespace) {
      const all = facts.policies.pullSecrets();
      const prefix = longestOver(name, all, (one) => one.prefix)?.prefix;
      const offered = all.filter((one) => one.prefix === prefix && isOffered(one, namespace));
      return [...new Set(offered.map(({ secret }) => secret))].toSorted().flatMap((one) => readSource(facts, one));
    },
    fingerprint(namespace) {
      const all = facts.policies.pullSecrets();
      if (!all.some((one) => isOffered(one, namespace))) return '';
      const described = all.map((one) => {
        const [source] = isOffered(one, namespace) ? readSource(facts, one.secret) : [];
        return JSON.stringify([one.prefix, one.secret, isOffered(one, namespace), source?.version ?? '']);
      });
      return described.toSorted().join();
    },
  };
}

/** None if it is missing or of another type; the policy's own status says so. */
function readSource({ secrets, namespace }: OfferFacts, name: string): readonly SourceSecret[] {
  const secret = secrets.get(`${namespace}/${name}`);
  const dockerConfig = textOf(
    (secret?.['data'] as Readonly<Record<string, unknown>> | undefined)?.['.dockerconfigjson'],
  );
  if (secret === undefined || dockerConfig === '') return [];
  const { uid = '', resourceVersion = '' } = secret.metadata;
  return [{ name, version: `${uid}/${resourceVersion}`, dockerConfig }];
}
