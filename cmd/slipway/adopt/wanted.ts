/** The Subscription of Slipway that goes on with an operator of OLM. Pure. */
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import { proxyOf } from '../../../adoption/olm-v0/proxy.ts';
import type { OlmSurvey } from '../../../adoption/olm-v0/survey.ts';
import { translateSubscription, type Translation } from '../../../adoption/olm-v0/translate.ts';

export interface WantedFlags {
  readonly name?: string;
  readonly catalog?: string;
}

/** @throws ReasonedError InputInvalid if OLM's ClusterServiceVersion has no version; the errors of the client */
export async function wantedFor(
  cluster: Pick<Cluster, 'get'>,
  survey: OlmSurvey,
  { name = survey.name, catalog, signal }: WantedFlags & { readonly signal: AbortSignal },
): Promise<Translation> {
  const version = textOf(fieldsOf(survey.csv?.['spec'])['version']);
  if (version === '') {
    throw invalidInput(
      `ClusterServiceVersion ${survey.csv?.metadata.name ?? '(none)'} has no version`,
      'Upgrade the operator in OLM to a release that has one',
    );
  }
  const proxy = await proxyOf(cluster, survey, signal);
  return translateSubscription(survey, { name, version, proxy, ...(catalog !== undefined && { catalog }) });
}
