/** The console says about the same objects what the command line says. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import type { CustomResourceCount } from '../../apply/custom-resources.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Action } from '../../console/data/actions.ts';
import { describeDone } from '../../console/data/done.ts';
import { events } from '../../console/data/events.ts';
import { graph } from '../../console/data/graph.ts';
import { overview } from '../../console/data/overview.ts';
import { plan } from '../../console/data/plan.ts';
import { revision as revisionView } from '../../console/data/revision.ts';
import { stepsOf } from '../../console/data/steps.ts';
import { subscription as subscriptionView } from '../../console/data/subscription.ts';
import { anyObjects } from '../../console/data/testing/random-objects.ts';
import { modelOf, visibleWith } from '../../console/data/testing/scene.ts';
import { uninstall } from '../../console/data/uninstall.ts';
import type { TreeItem } from '../../console/data/models.ts';
import type { Visible } from '../../console/data/view.ts';
import { versionOffers } from '../../console/data/why-not.ts';
import { planChange } from '../../plan/plan.ts';
import { boundRole, upgrade } from '../../plan/testing/sides.ts';
import { documentOf, type Intent } from '../../report/acts.ts';
import { cleanLine } from '../../report/clean.ts';
import { reportedEvents } from '../../report/events.ts';
import { entriesOf } from '../../report/history.ts';
import { outdatedOf } from '../../report/outdated.ts';
import { situationOf } from '../../report/situation.ts';
import { condition, INSTALLED, NOW, READY, revision, subscription } from '../../report/testing/objects.ts';
import { treeOf } from '../../report/tree-nodes.ts';
import { namesOfGiven, previewOf } from '../../report/uninstall-preview.ts';
import { printAnswer } from '../../report/why-answer.ts';
import { answerOf } from '../../report/why-status.ts';
import { drawTree } from './admin/draw-tree.ts';
import { printEvents } from './admin/events.ts';
import { printEntries } from './admin/history.ts';
import { intendReconcile, intendRollback, intendUpgrade } from './admin/intents.ts';
import { printSituation } from './admin/status.ts';
import { printPreview } from './admin/uninstall.ts';
import { printText } from './plan/text.ts';

/** Words of a text without the spaces between them, which screens choose. */
const joined = (text: string): string => cleanLine(text);

/** Ends a line that a page cuts, and a terminal does not. */
const CUT = /… \(\d+ further characters?\)$/;

/** A Subscription with its Revisions, in any state. */
interface Scene {
  readonly visible: Visible;
  readonly one: Subscription;
  readonly revisions: readonly Revision[];
}

const scenes: fc.Arbitrary<Scene> = anyObjects
  .filter(({ subscriptions }) => subscriptions.length > 0)
  .map(({ subscriptions, revisions, ...objects }) => {
    const [one] = subscriptions as readonly [Subscription];
    const own = revisions.map((other, at) => ({
      ...other,
      metadata: { ...other.metadata, namespace: one.metadata.namespace ?? '', name: `${one.metadata.name}-${at + 1}` },
      spec: { ...other.spec, subscription: one.metadata.name, number: at + 1 },
    }));
    return { visible: visibleWith({ ...objects, subscriptions: [one], revisions: own }), one, revisions: own };
  });

const parametersOf = ({ metadata: { namespace = '', name } }: Subscription) => ({ namespace, name });

describe('status', () => {
  test('the sentence, the facts, the problems and the commands that help are those of `slipway status`', () => {
    fc.assert(
      fc.property(scenes, ({ visible, one, revisions }) => {
        const screen = joined(printSituation(situationOf(one, revisions), NOW));
        const model = modelOf(subscriptionView, visible, { parameters: parametersOf(one) });
        expect(screen).toContain(`: ${model.state.word} ${model.message}`.trim());
        for (const { name, values } of model.facts.filter((fact) =>
          /^(Package|Installed|Available|Path|In progress)$/.test(fact.name),
        ))
          // prettier-ignore
          expect(screen, name).toContain(cleanLine(`${name}: ${values.join(' ').replace(CUT, '')}`));
        for (const { condition: type, reason, message } of model.problems)
          expect(screen).toContain(cleanLine(`${type} (${reason}): ${message}`));
        for (const { command, effect } of model.hints) expect(screen).toContain(`${command} # ${effect}`);
        for (const phase of model.phases)
          expect(screen).toContain(cleanLine(`${phase.name} ${phase.state.word} ${phase.ready}/${phase.objects} ${phase.message ?? ''}`)); // prettier-ignore
      }),
      { numRuns: runsOf(40) },
    );
  });

  test('the overview has the sentence of `slipway outdated`', () => {
    fc.assert(
      fc.property(scenes, ({ visible, one }) => {
        const [row] = modelOf(overview, visible).operators;
        expect(row?.outdated).toBe(outdatedOf(one) && cleanLine(outdatedOf(one)?.message ?? ''));
      }),
      { numRuns: runsOf(30) },
    );
  });
});

describe('a request of another version', () => {
  test.each([
    { because: 'nothing else is changed', spec: { edges: 'Follow', channel: 'stable', approval: 'Manual' } as const },
    { because: 'a rollback has left the edges ignored', spec: { edges: 'Ignore', version: '1.0.0' } as const },
  ])('sends the patch of `slipway upgrade --version`: $because', ({ spec }) => {
    const one = subscription({ spec });
    const offer = versionOffers(one, [], '2.0.0').find(({ action }) => action.kind === 'change');
    const intent = intendUpgrade(one, [], { version: '2.0.0' }, NOW);
    const patches = stepsOf(offer!.action).map((step) => (step.do === 'merge' ? step.patch : step));
    expect(patches).toEqual(intent.acts.map((act) => ({ spec: (documentOf(act) as { readonly spec?: object }).spec })));
    expect(describeDone(offer!.action, { object: one, now: NOW })).toBe(intent.message);
  });
});

describe('an act on a suspended Subscription', () => {
  const one = subscription({ spec: { suspend: true }, status: { installed: { ...INSTALLED, version: '1.1.0', bundle: 'gadget.v1.1.0' } } }); // prettier-ignore
  const place = { namespace: 'ops', name: 'gadget' };
  const worked = revision(1, '1.0.0', { status: { firstReadyTime: '2026-01-01T00:00:00Z' } });

  const acts: readonly { readonly action: Action; readonly intent: Intent }[] = [
    { action: { kind: 'reconcile', ...place }, intent: intendReconcile(one, NOW) },
    { action: { kind: 'change', ...place, version: '2.0.0' }, intent: intendUpgrade(one, [], { version: '2.0.0' }, NOW) }, // prettier-ignore
    { action: { kind: 'rollback', ...place, version: '1.0.0' }, intent: intendRollback(one, [worked], undefined, NOW) },
  ];

  test.each(acts)('has the sentence of the command: $action.kind', ({ action, intent }) => {
    expect(describeDone(action, { object: one, now: NOW })).toBe(intent.message);
    expect(intent.message).toContain('is suspended');
  });
});

test('history: versions, approvals and outcomes are those of `slipway history`', () => {
  fc.assert(
    fc.property(scenes, ({ visible, one, revisions }) => {
      const table = joined(printEntries(entriesOf(one, revisions), NOW));
      const { history } = modelOf(subscriptionView, visible, { parameters: parametersOf(one) });
      expect(history.map(({ revision: name }) => name)).toEqual(revisions.map(({ metadata }) => metadata.name));
      for (const row of history) {
        expect(table).toContain(cleanLine(`${row.revision} ${row.version} ${row.state.word}`));
        expect(table).toContain(row.outcome);
        expect(table).toContain(row.approvedBy ?? '');
      }
    }),
    { numRuns: runsOf(30) },
  );
});

describe('why', () => {
  const REFUSED = { version: '3.0.0', reason: 'ChannelNotFound', message: 'it is only in channel fast' };
  const QUARANTINED = {
    bundle: 'gadget.v2.0.0',
    version: '2.0.0',
    reason: 'WebhookSilent',
    message: 'no answer',
    since: 'x',
  };
  const status = {
    installed: INSTALLED,
    available: { bundle: 'gadget.v1.1.0', version: '1.1.0' },
    path: ['1.1.0'],
    refused: [REFUSED],
    quarantined: [QUARANTINED],
    conditions: [READY, condition('UpgradeAvailable', 'True', 'OutsideWindow', 'gadget.v1.1.0 waits for its window')],
  };

  test.each([
    { because: 'the manager refused it', version: '3.0.0' },
    { because: 'it failed before', version: '2.0.0' },
    { because: 'it is installed', version: '1.0.0' },
    { because: 'it is chosen', version: '1.1.0' },
    { because: 'the status does not mention it', version: '9.9.9' },
  ])('$version has the sentences of `slipway why-not`: $because', ({ version }) => {
    const one = subscription({ status });
    const text = joined(printAnswer(answerOf({ package: 'gadget', version }, one)));
    const { opened } = modelOf(graph, visibleWith({ subscriptions: [one] }), {
      parameters: { namespace: 'ops', name: 'gadget', version },
    });
    for (const sentence of [...(opened?.causes ?? []), ...(opened?.remedies ?? []), opened?.decision ?? ''])
      expect(text).toContain(sentence);
    if (opened?.chosen === true) expect(text).toContain(opened.summary);
    expect(opened?.causes.length === 0).toBe(opened?.chosen);
  });
});

test('plan: risks and sections are those of `slipway plan`, line by line', () => {
  const rights = boundRole([{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }]);
  const made = planChange({ ...upgrade({}, { more: rights }), package: 'gadget', subscription: 'ops/gadget' });
  const pending = { revision: 'gadget-2', bundle: 'gadget.v1.0.1', version: '1.0.1', reason: 'ApprovalRequired' };
  const visible = visibleWith({
    subscriptions: [subscription({ status: { installed: INSTALLED, pending } })],
    revisions: [
      revision(2, '1.0.1', {
        spec: { state: 'Archived', approved: false },
        status: { plan: { inputs: 'i', hash: made.hash, risk: made.risk.level, secret: 'gadget-2-plan' } },
      }),
    ],
  });
  const lines = printText({ subscription: 'ops/gadget', package: 'gadget', message: '', plans: [made], denied: [] })
    .split('\n')
    .map((text) => text.trim());
  const model = modelOf(plan, visible, { asked: { plan: { value: { plan: made, heldBy: [] } } } });
  expect(model.extent).toBe('whole');
  expect(lines[0]).toBe(`${model.change} for ops/gadget`);
  expect(`Risk: ${model.risk?.word}`).toBe(`${lines.find((line) => line.startsWith('Risk: '))} risk`);
  expect(lines).toContain(`Way back: ${model.wayBack}`);
  expect(lines.at(-2)).toBe(`Hash: ${model.hash}`);
  const drawn = [
    ...model.risks.map(({ level, message, reason }) => `${level.word.replace(/ risk$/, '')}: ${message} (${reason})`),
    ...model.sections.flatMap(({ lines: own }) => own.map((text) => text.trim())),
  ];
  const titles = /^(Risk|Way back|Hash|Objects.*|[A-Z][\w ]+):/;
  expect(drawn).toEqual(lines.slice(1).filter((text) => text !== '' && !titles.test(text)));
});

test('tree: objects, states and sentences are those of `slipway tree`', () => {
  const inventory = [
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'settings', uid: 'a', hash: 'h' },
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'gadget', uid: 'gadget', hash: 'h' },
  ];
  const one = subscription({ status: { installed: INSTALLED, conditions: [READY] } });
  const active = revision(1, '1.0.0', { status: { inventory, conditions: [READY] } });
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'gadget', namespace: 'ops', uid: 'gadget', generation: 1 },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1 },
  };
  const owned = (kind: string, name: string, owner: string, status?: object) => ({
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      namespace: 'ops',
      uid: name,
      ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner }],
    },
    status,
  });
  const crashing = { phase: 'Running', containerStatuses: [{ name: 'op', restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } }] }; // prettier-ignore
  const workload = {
    object: deployment,
    replicaSets: [owned('ReplicaSet', 'new', 'gadget')],
    pods: [owned('Pod', 'new-1', 'new', crashing)],
  };
  const [settings, gadget] = [
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'settings' },
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'gadget' },
  ];
  const found = [{ ref: settings }, { ref: gadget, ...workload }];
  const root = treeOf({ subscription: one, revisions: [active], objects: new Map([['gadget-1', found]]) });
  const { groups } = modelOf(revisionView, visibleWith({ subscriptions: [one], revisions: [active] }), {
    parameters: { namespace: 'ops', name: 'gadget-1' },
    asked: { objects: [{ value: {} }, { value: workload }] },
  });
  const lines = (items: readonly TreeItem[]): readonly string[] =>
    items.flatMap(({ name, state, message, children }) => [
      `${name}: ${state.word}${message === undefined ? '' : `, ${message}`}`,
      ...lines(children),
    ]);
  expect(groups.flatMap(({ items }) => lines(items))).toEqual(
    drawTree(root)
      .split('\n')
      .slice(2, -1)
      .map((text) => text.replace(/^[ │├└─]+/, '')),
  );
});

test.each(['Retain', 'Delete', 'Block'] as const)(
  'uninstall: the preview is that of `slipway uninstall --preview`, with %s',
  (policy) => {
    // prettier-ignore
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'gadgets.example.com', uid: 'c', hash: 'h' };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'a', uid: 'a', hash: 'h' };
    const resource = { apiVersion: 'example.com/v1', kind: 'Gadget', served: { plural: 'gadgets', namespaced: true } };
    const counts = new Map<string, CustomResourceCount>([
      [crd.name, { resource, count: 2, samples: ['ops/x', 'dev/y'] }],
    ]);
    const one = subscription({ status: { installed: INSTALLED } });
    const visible = visibleWith({
      subscriptions: [one],
      revisions: [revision(1, '1.0.0', { status: { inventory: [crd, map] } })],
    });
    const rbac = 'rbac.authorization.k8s.io/v1';
    const due = [{ apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: 'delegator' } }];
    const kept = [
      { ref: { apiVersion: rbac, kind: 'ClusterRole', name: 'shared' }, why: 'a ClusterRoleBinding uses it' },
    ];
    const given = [{ due, kept }];
    const facts = { inventory: [crd, map], counts, policy, givenByOlm: namesOfGiven({ rights: given }) };
    const text = joined(printPreview(previewOf(one, facts)));
    const model = modelOf(uninstall, visible, {
      parameters: { namespace: 'ops', name: 'gadget', customResources: policy },
      asked: { customResources: { value: counts }, givenByOlm: { value: { rights: given } } },
    });
    expect(model.givenByOlm).toHaveLength(policy === 'Block' ? 0 : 1);
    const sentences = [
      model.summary,
      ...model.doubts,
      ...model.customResources.map(({ crd: name, objects }) => `Every object of ${name} is deleted first: ${objects}`),
      ...model.stays.map((message) => `Stays: ${message}`),
      ...model.givenByOlm.map((right) => `Deleted at last, as OLM had given it to the operator: ${right}`),
      ...model.steps.map(({ name, objects, kinds }) => `${name} ${objects} ${kinds.join(', ')}`),
    ];
    for (const sentence of sentences) expect(text).toContain(sentence);
  },
);

test('events: the rows are those of `slipway events`, the newest first', () => {
  fc.assert(
    fc.property(anyObjects, (objects) => {
      const all = reportedEvents(objects.events, { wanted: undefined, warnings: false });
      const table = joined(printEvents(all, {}));
      const model = modelOf(events, visibleWith(objects), { parameters: {} });
      expect(model.events.map(({ object, message }) => [object, message])).toEqual(
        all.toReversed().map(({ object, message }) => [cleanLine(object), cleanLine(message)]),
      );
      for (const { message } of model.events) expect(table).toContain(message);
    }),
    { numRuns: runsOf(20) },
  );
});
