/** Whether a ClusterExtension can be handed over, for each of its states. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { extensionOf, surveyOf } from './testing/extension.ts';
import { judgeExtension, REFUSALS, type ExtensionSurvey } from './verdict.ts';

const object = (kind: string, metadata: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'one', namespace: 'ops', ...metadata },
});

interface Case {
  readonly because: string;
  readonly survey: Partial<ExtensionSurvey>;
  readonly kind: 'wait' | 'refused';
  readonly reason: string;
  readonly message: RegExp;
}

const CASES: readonly Case[] = [
  {
    because: 'it does not exist',
    survey: { extension: undefined },
    kind: 'refused',
    reason: 'ExtensionNotFound',
    message: /ClusterExtension\.olm\.operatorframework\.io gadget does not exist.*--from olm-v1/,
  },
  {
    because: 'a person deletes it',
    survey: { extension: extensionOf({ metadata: { deletionTimestamp: '2026-11-23T00:00:00Z' } }) },
    kind: 'refused',
    reason: 'BeingDeleted',
    message: /being deleted/,
  },
  {
    because: 'its way back has begun',
    survey: { extension: extensionOf({ metadata: { annotations: { 'slipway.dev/adoption-offer': 'Offered' } } }) },
    kind: 'refused',
    reason: 'BeingHandedBack',
    message: /slipway adopt undo gadget --from olm-v1/,
  },
  {
    because: 'OLM owns no object of it',
    survey: { objects: [] },
    kind: 'refused',
    reason: 'NoObjects',
    message: /no object names it as its owner/,
  },
  {
    because: 'its deletion would wait for another program',
    survey: { extension: extensionOf({ metadata: { finalizers: ['tool.example/hook'] } }) },
    kind: 'refused',
    reason: 'FinalizersOfOthers',
    message: /tool\.example\/hook is not of OLM/,
  },
  {
    because: 'nothing is installed',
    survey: {
      extension: extensionOf({ status: { install: undefined }, progressing: { message: 'no bundles found' } }),
    },
    kind: 'wait',
    reason: 'NotInstalled',
    message: /no bundles found/,
  },
  {
    because: 'the alpha feature installed it',
    survey: { objectSets: [object('ClusterObjectSet', { name: 'gadget-1', namespace: undefined })] },
    kind: 'refused',
    reason: 'InstalledByObjectSets',
    message: /ClusterObjectSet gadget-1/,
  },
  {
    because: 'OLM has not acted on the spec',
    survey: { extension: extensionOf({ progressing: { observedGeneration: 2 } }) },
    kind: 'wait',
    reason: 'UpgradeInProgress',
    message: /at work/,
  },
  {
    because: 'OLM tries again',
    survey: { extension: extensionOf({ progressing: { reason: 'Retrying', message: 'no such host' } }) },
    kind: 'wait',
    reason: 'UpgradeInProgress',
    message: /no such host/,
  },
  {
    because: 'OLM has given up',
    survey: {
      extension: extensionOf({ progressing: { status: 'False', reason: 'Blocked', message: 'CRD is unsafe' } }),
    },
    kind: 'refused',
    reason: 'NotSucceeded',
    message: /CRD is unsafe/,
  },
  {
    because: 'a Subscription has one channel',
    survey: { extension: extensionOf({ catalog: { channels: ['stable', 'fast'] } }) },
    kind: 'refused',
    reason: 'SeveralChannels',
    message: /stable, fast.*Leave one/,
  },
  {
    because: 'OpenShift issues its certificate',
    survey: {
      objects: [
        object('Service', { annotations: { 'service.beta.openshift.io/serving-cert-secret-name': 'gadget-cert' } }),
      ],
    },
    kind: 'refused',
    reason: 'CertificatesOfOpenShift',
    message: /Service ops\/one/,
  },
  {
    because: 'another ClusterExtension owns an object of it',
    survey: {
      objects: [
        object('Service', {
          ownerReferences: [
            { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name: 'lamp', uid: 'l' },
          ],
        }),
      ],
    },
    kind: 'refused',
    reason: 'ObjectsOfOthers',
    message: /Service ops\/one belongs to ClusterExtension lamp too/,
  },
  {
    because: 'the garbage collector may delete its CRD with an object of a stranger',
    survey: {
      objects: [
        object('CustomResourceDefinition', {
          namespace: undefined,
          ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'lights', uid: 'n' }],
        }),
      ],
    },
    kind: 'refused',
    reason: 'ObjectsOfOthers',
    message: /CustomResourceDefinition one with an owner .* Namespace lights\./,
  },
];

describe('a ClusterExtension', () => {
  test.each(CASES)('gets the verdict $kind, $reason, if $because', ({ survey, kind, reason, message }) => {
    const verdict = judgeExtension(surveyOf(survey));
    expect(verdict).toMatchObject({ kind, reason });
    expect('message' in verdict && verdict.message).toMatch(message);
  });

  test('has a case for each reason', () => {
    expect(new Set(CASES.map(({ reason }) => reason))).toEqual(new Set(REFUSALS));
  });

  test.each([
    { because: 'it has nothing else', extension: extensionOf(), notes: [] },
    {
      because: 'it selects catalogs',
      extension: extensionOf({ catalog: { selector: { matchLabels: { a: 'b' } } } }),
      notes: [expect.stringContaining('--catalog')],
    },
    {
      because: 'it has an account',
      extension: extensionOf({ spec: { serviceAccount: { name: 'installer' } } }),
      notes: [expect.stringContaining('ServiceAccount installer stays')],
    },
  ])('that works is ready, with notes if $because', ({ extension, notes }) => {
    expect(judgeExtension(surveyOf({ extension }))).toEqual({ kind: 'ready', notes });
  });
});
