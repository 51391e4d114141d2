/** A survey of an operator that can be handed over, to be changed by tests. */
import type { KubeObject } from '../../../api/object.ts';
import { OLM } from '../kinds.ts';
import type { OlmSurvey } from '../survey.ts';

/** An object of OLM in the namespace `ops`. */
export function ofOlm(kind: keyof typeof OLM, name: string, fields: object = {}): KubeObject {
  return { ...OLM[kind], metadata: { name, namespace: 'ops' }, ...fields };
}

export function csvOf(
  name: string,
  { spec = {}, phase = 'Succeeded' }: { spec?: object; phase?: string } = {},
): KubeObject {
  return ofOlm('csv', name, { spec: { version: '1.0.0', ...spec }, status: { phase } });
}

export function subscriptionOf(spec: object = {}, status: object = {}): KubeObject {
  return ofOlm('subscription', 'gadget', {
    spec: { name: 'gadget-operator', channel: 'stable', ...spec },
    status: { installedCSV: 'gadget.v1', currentCSV: 'gadget.v1', state: 'AtLatestKnown', ...status },
  });
}

export function surveyOf(changes: Partial<OlmSurvey> = {}): OlmSurvey {
  const csv = csvOf('gadget.v1');
  const subscription = subscriptionOf();
  return {
    namespace: 'ops',
    name: 'gadget',
    subscription,
    csv,
    csvs: [csv],
    installPlans: [],
    operatorGroups: [ofOlm('operatorGroup', 'all', { spec: {}, status: { namespaces: [''] } })],
    operatorCondition: undefined,
    copies: [],
    living: new Set(['ops/gadget.v1']),
    ...changes,
  };
}
