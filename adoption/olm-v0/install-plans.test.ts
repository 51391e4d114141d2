/** The InstallPlans that go with an operator of OLM, those that stay for others, and those that wait for approval. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { pendingPlans, plansOf } from './install-plans.ts';
import { csvOf, ofOlm, subscriptionOf } from './testing/survey.ts';

const OPERATOR = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };
const OWN = 'operators.coreos.com/gadget-operator.ops';
const OTHER = 'operators.coreos.com/lamp.ops';

interface Plan {
  readonly names: readonly string[];
  readonly labels?: readonly string[];
  readonly approved?: boolean;
}

function planOf({ names, labels = [OWN], approved = true }: Plan): KubeObject {
  const plan = ofOlm('installPlan', 'install-1', { spec: { clusterServiceVersionNames: names, approved } });
  return { ...plan, metadata: { ...plan.metadata, labels: Object.fromEntries(labels.map((label) => [label, ''])) } };
}

const CASES: readonly (Plan & { readonly because: string; readonly is: 'own' | 'shared' | 'none' })[] = [
  { because: 'it installed this operator alone', names: ['gadget.v1'], is: 'own' },
  { because: 'OLM has lost its label', names: ['gadget.v1'], labels: [], is: 'own' },
  { because: 'it installed a version before', names: ['gadget.v0'], is: 'own' },
  { because: 'it installed another operator, which is there', names: ['gadget.v1', 'lamp.v1'], labels: [OWN, OTHER], is: 'shared' },
  { because: 'the other one is gone', names: ['gadget.v1', 'torch.v1'], labels: [OWN, OTHER], is: 'own' },
  { because: 'its label is off already', names: ['gadget.v1', 'lamp.v1'], labels: [OTHER], is: 'none' },
  { because: 'it would install others too, once a person approves', names: ['gadget.v2', 'torch.v1'], approved: false, is: 'shared' },
  { because: 'it is of another operator', names: ['lamp.v1'], labels: [OTHER], is: 'none' },
]; // prettier-ignore

describe('an InstallPlan', () => {
  test.each(CASES)('is $is, because $because', ({ is, ...plan }) => {
    const survey = { installPlans: [planOf(plan)], csvs: [csvOf('gadget.v1'), csvOf('lamp.v1')] };
    const { own, shared } = plansOf(survey, OPERATOR);
    expect(own.length > 0 ? 'own' : shared.length > 0 ? 'shared' : 'none').toBe(is);
  });

  test.each([
    { because: 'a person has not approved it', names: ['gadget.v2'], approved: false, isPending: true },
    { because: 'OLM works on it', names: ['gadget.v2'], approved: true, isPending: false },
    { because: 'it is of the installed version', names: ['gadget.v1'], approved: true, isPending: false },
  ])('waits for approval: $isPending, because $because', ({ isPending, ...plan }) => {
    const survey = { subscription: subscriptionOf({}, { currentCSV: 'gadget.v2' }), installPlans: [planOf(plan)] };
    expect(pendingPlans(survey)).toHaveLength(isPending ? 1 : 0);
  });

  test('of a version that is installed waits for nothing', () => {
    const installPlans = [planOf({ names: ['gadget.v1'], approved: false })];
    expect(pendingPlans({ subscription: subscriptionOf(), installPlans })).toEqual([]);
  });
});
