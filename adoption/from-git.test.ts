/** Which program keeps an object of OLM by its own declaration, and how to take the object out of it. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { noteOfDeclaration } from './from-git.ts';
import { judgeOperator } from './olm-v0/verdict.ts';
import { subscriptionOf, surveyOf } from './olm-v0/testing/survey.ts';
import { extensionOf, surveyOf as surveyOfV1 } from './olm-v1/testing/extension.ts';
import { judgeExtension } from './olm-v1/verdict.ts';

interface Case {
  readonly because: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Undefined: no note. */
  readonly says: RegExp | undefined;
}

const FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
const HELM = { 'app.kubernetes.io/managed-by': 'Helm' };
const RELEASE = { 'meta.helm.sh/release-name': 'operators', 'meta.helm.sh/release-namespace': 'infra' };

const CASES: readonly Case[] = [
  {
    because: 'a Kustomization of Flux applies it',
    labels: FLUX,
    says: /Flux Kustomization flux-system\/apps.*would create it again.*kustomize\.toolkit\.fluxcd\.io\/prune: disabled/,
  },
  {
    because: 'a HelmRelease of Flux applies it, and Helm marks it too',
    labels: { ...HELM, 'helm.toolkit.fluxcd.io/name': 'ops', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' },
    annotations: RELEASE,
    says: /Flux HelmRelease flux-system\/ops.*helm\.sh\/resource-policy: keep/,
  },
  {
    because: 'an application of Argo CD tracks it by an annotation',
    annotations: { 'argocd.argoproj.io/tracking-id': 'platform:operators.coreos.com/Subscription:ops/gadget' },
    says: /Argo CD Application platform.*argocd\.argoproj\.io\/sync-options: Prune=false/,
  },
  {
    because: 'an application of Argo CD tracks it by a label',
    labels: { 'argocd.argoproj.io/instance': 'platform' },
    says: /Argo CD Application platform/,
  },
  {
    because: 'a release of Helm has it',
    labels: HELM,
    annotations: RELEASE,
    says: /Helm release infra\/operators.*resource-policy: keep/,
  },
  { because: 'a person has applied it', says: undefined },
  {
    because: 'a label of Helm alone says nothing: many charts print it into plain YAML',
    labels: HELM,
    says: undefined,
  },
  {
    because: 'its annotation has no application',
    annotations: { 'argocd.argoproj.io/tracking-id': ':x' },
    says: undefined,
  },
  {
    because: 'its annotation is no name',
    annotations: { 'argocd.argoproj.io/tracking-id': '\u001b[2Jx:y' },
    says: undefined,
  },
  { because: 'another tool has labelled it', labels: { 'app.kubernetes.io/managed-by': 'jo' }, says: undefined },
];

function marked(object: KubeObject, { labels = {}, annotations = {} }: Case): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels, annotations } };
}

describe('the note about an object of OLM that comes from Git', () => {
  test.each(CASES)('is there, or not: $because', ({ says, ...one }) => {
    const note = noteOfDeclaration(marked(subscriptionOf(), { ...one, says }));
    expect(note ?? '').toMatch(says ?? /^$/);
  });

  test.each(CASES)('is a note of both plans, and refuses neither: $because', ({ says, ...one }) => {
    const subscription = marked(subscriptionOf(), { ...one, says });
    const extension = marked(extensionOf(), { ...one, says });
    for (const verdict of [judgeOperator(surveyOf({ subscription })), judgeExtension(surveyOfV1({ extension }))]) {
      const notes = says === undefined ? [] : [expect.stringMatching(says) as string];
      expect(verdict).toEqual({ kind: 'ready', notes });
    }
  });

  test('names the harm that a ClusterExtension does if it is pruned', () => {
    const [v0, v1] = [subscriptionOf(), extensionOf()].map((one) => noteOfDeclaration(marked(one, CASES[0] as Case)));
    expect(v0).not.toContain('custom resources');
    expect(v1).toContain('OLM would delete the operator, its CRDs and all custom resources');
  });
});
