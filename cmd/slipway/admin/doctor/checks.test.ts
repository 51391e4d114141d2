import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCrd } from '../../../../api/crd/definition.ts';
import { isRecord, listOf, type Fields } from '../../../../api/untyped.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { parseYaml } from '../../../../bundles/yaml.ts';
import { condition, NOW, READY, subscription } from '../../../../report/testing/objects.ts';
import { examine, type DoctorFacts } from './checks.ts';
import type { DoctorFinding, DoctorLevel } from '../../../../report/finding.ts';
import { CRD_KINDS, crdNameOf } from './crds.ts';
import { printFindings } from './doctor.ts';
import { neededRights } from './rights.ts';

const ESTABLISHED = { conditions: [{ type: 'Established', status: 'True' }] };
const crdsWith = (change: (crd: KubeObject) => KubeObject | undefined = (crd) => crd) =>
  new Map(CRD_KINDS.map((kind) => [crdNameOf(kind), change({ ...buildCrd(kind), status: ESTABLISHED })] as const));

const DEPLOYMENT: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'slipway-manager', namespace: 'slipway-system' },
  spec: { replicas: 1, template: { spec: { containers: [{ image: 'slipway.dev/manager:0.1.0' }] } } },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
};

interface LeaseTimes {
  readonly renewTime?: string;
  readonly stored?: string;
  readonly holderIdentity?: string;
}

function lease({
  renewTime = '2026-01-01T23:59:58.1Z',
  stored = '2026-01-01T23:59:58Z',
  holderIdentity = 'manager-1',
}: LeaseTimes = {}): KubeObject {
  // prettier-ignore
  const managedFields = [{ manager: 'slipway', time: stored, fieldsV1: { 'f:spec': { 'f:renewTime': {} } } }];
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: Object.assign({ name: 'slipway-manager' }, { managedFields }),
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime },
  };
}

const POLICY: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'slipway-accounts' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [{ operations: ['CREATE', 'UPDATE', 'DELETE'] }] },
    variables: [{ name: 'isManager', expression: "authorizer.namespace('slipway-system').allowed()" }],
  },
};
const OTHER_POLICY = JSON.parse(JSON.stringify(POLICY).replace('slipway-system', 'platform')) as KubeObject;
const BINDING: KubeObject = {
  ...POLICY,
  kind: 'ValidatingAdmissionPolicyBinding',
  spec: { policyName: 'slipway-accounts', validationActions: ['Deny'] },
};
const catalog = (...conditions: readonly object[]): KubeObject => ({
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Catalog',
  metadata: { name: 'team' },
  status: { conditions },
});

const HEALTHY: DoctorFacts = {
  crds: { fact: crdsWith() },
  deployment: { fact: DEPLOYMENT },
  lease: { fact: lease() },
  missingRights: { fact: [] },
  policy: { fact: [[POLICY], [BINDING]] },
  catalogs: { fact: [catalog(READY)] },
  subscriptions: { fact: [subscription({ status: { conditions: [READY] } })] },
};
const options = { namespace: 'slipway-system', now: NOW, version: '0.1.0' };

test('a healthy installation has one finding for each check, and all are ok', () => {
  const findings = examine(HEALTHY, options);
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual(['CRDs', 'Manager', 'Version', 'Rights', 'Leader', 'Clocks', 'Policy', 'Catalogs', 'Subscriptions']); // prettier-ignore
  expect(printFindings(findings)).toMatch(/\n\n0 errors, 0 warnings\n$/);
});

const electing = (env: readonly object[], replicas = 1, args: readonly string[] = []): KubeObject => ({
  ...DEPLOYMENT,
  spec: { replicas, template: { spec: { containers: [{ image: 'slipway.dev/manager:0.1.0', env, args }] } } },
});
const OFF = [{ name: 'SLIPWAY_LEADER_ELECT', value: 'false' }];

const withImage = (image: string): KubeObject => ({
  ...DEPLOYMENT,
  spec: { replicas: 1, template: { spec: { containers: [{ image }] } } },
});

describe('the version of the manager', () => {
  const of = (deployment: DoctorFacts['deployment']): readonly DoctorFinding[] =>
    examine({ ...HEALTHY, deployment }, options).filter(({ check }) => check === 'Version');

  test.each([
    { because: 'it is newer', image: 'slipway.dev/manager:0.2.0', says: '0.2.0' },
    { because: 'it is older', image: 'slipway.dev/manager:0.0.9', says: '0.0.9' },
    { because: 'it is a pre-release', image: 'mirror.example:5000/slipway/manager:0.1.0-rc.1', says: '0.1.0-rc.1' },
    { because: 'its tag has a v and a digest', image: `slipway.dev/manager:v0.2.0@sha256:${'a'.repeat(64)}`, says: '0.2.0' }, // prettier-ignore
  ])('is a warning with a remedy if it is not that of this program: $because', ({ image, says }) => {
    expect(of({ fact: withImage(image) })).toEqual([
      {
        check: 'Version',
        level: 'warning',
        message: expect.stringContaining(
          `The manager has version ${says}, and this program has version 0.1.0`,
        ) as string,
        advice: expect.stringContaining(says) as string,
      },
    ]);
  });

  test.each([
    {
      because: 'the image has a digest alone',
      deployment: { fact: withImage(`m.example/m@sha256:${'a'.repeat(64)}`) },
    },
    { because: 'the tag is of another kind', deployment: { fact: withImage('m.example/m:20241128') } },
    { because: 'no Deployment has the name', deployment: { fact: undefined } },
    { because: 'the user may not read the Deployment', deployment: { failure: 'deployments.apps is forbidden' } },
  ])('is no finding if it is not known: $because', ({ deployment }) => {
    expect(of(deployment)).toEqual([]);
  });
});

describe('one replica without an election', () => {
  test.each([
    { because: 'no Lease was ever taken', facts: { lease: { fact: undefined } } },
    { because: 'the Lease is from a time with two replicas', facts: { lease: { fact: lease({ stored: '2025-01-01T00:00:00Z' }) } } }, // prettier-ignore
  ])('is a warning, since two Pods write while one replaces the other: $because', ({ facts }) => {
    const findings = examine({ ...HEALTHY, ...facts, deployment: { fact: electing(OFF) } }, options);
    expect(findings.filter(({ level }) => level !== 'ok').map(({ check, level }) => [check, level])).toEqual([['Leader', 'warning']]); // prettier-ignore
    expect(findings.map(({ check }) => check)).not.toContain('Clocks');
  });

  test.each([
    { because: 'a flag precedes the variable', deployment: electing(OFF, 1, ['--leader-elect=true']) },
    { because: 'it is the default', deployment: electing([]) },
    { because: 'the variable says so', deployment: electing([{ name: 'SLIPWAY_LEADER_ELECT', value: 'true' }]) },
  ])('is not meant if replicas elect a leader: $because', ({ deployment }) => {
    const findings = examine({ ...HEALTHY, lease: { fact: undefined }, deployment: { fact: deployment } }, options);
    expect(findings).toContainEqual(expect.objectContaining({ check: 'Leader', level: 'error' }));
  });

  test('is no excuse for two, which would both write', () => {
    const findings = examine({ ...HEALTHY, deployment: { fact: electing(OFF, 2) } }, options);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'Leader', level: 'error', message: expect.stringContaining('2 replicas') as string }), // prettier-ignore
    );
  });
});

const withoutField = (crd: KubeObject): KubeObject => JSON.parse(JSON.stringify(crd).replaceAll('"suspend":', '"other":')) as KubeObject; // prettier-ignore

const FAULTS: readonly {
  readonly because: string;
  readonly facts: Partial<DoctorFacts>;
  readonly found: readonly [check: string, level: DoctorLevel, says: RegExp];
}[] = [
  {
    because: 'a CRD is missing',
    facts: { crds: { fact: crdsWith(() => undefined) } },
    found: ['CRDs', 'error', /does not exist/],
  },
  { because: 'a CRD is not established', facts: { crds: { fact: crdsWith((crd) => ({ ...crd, status: {} })) } }, found: ['CRDs', 'error', /not established/] }, // prettier-ignore
  { because: 'a CRD lacks a field that this program knows', facts: { crds: { fact: crdsWith(withoutField) } }, found: ['CRDs', 'error', /older version: it lacks spec\.suspend/] }, // prettier-ignore
  {
    because: 'a CRD has a field that this program does not know',
    facts: { crds: { fact: crdsWith((crd) => JSON.parse(JSON.stringify(crd).replaceAll('"suspend":', '"later":{},"suspend":')) as KubeObject) } }, // prettier-ignore
    found: ['CRDs', 'warning', /newer version than this program: it has spec\.later/],
  },
  {
    because: 'no Deployment has the name',
    facts: { deployment: { fact: undefined } },
    found: ['Manager', 'warning', /no Deployment/],
  },
  { because: 'no Pod is available', facts: { deployment: { fact: { ...DEPLOYMENT, status: { observedGeneration: 1 } } } }, found: ['Manager', 'error', /0 of 1/] }, // prettier-ignore
  { because: 'a right is missing', facts: { missingRights: { fact: ['patch deployments.apps'] } }, found: ['Rights', 'error', /may not: patch deployments\.apps/] }, // prettier-ignore
  {
    because: 'the user may not ask',
    facts: { missingRights: { fact: undefined } },
    found: ['Rights', 'unknown', /impersonate/],
  },
  {
    because: 'no manager has ever led',
    facts: { lease: { fact: undefined } },
    found: ['Leader', 'error', /has taken the Lease/],
  },
  { because: 'the last leader has released the Lease', facts: { lease: { fact: lease({ holderIdentity: '' }) } }, found: ['Leader', 'error', /No manager leads/] }, // prettier-ignore
  {
    because: 'the Lease has run out',
    facts: { lease: { fact: lease({ renewTime: '2026-01-01T23:50:00Z', stored: '2026-01-01T23:50:00Z' }) } },
    found: ['Leader', 'error', /manager-1 led last, and its Lease was renewed 10m ago/],
  },
  { because: 'the clock of the leader is wrong', facts: { lease: { fact: lease({ renewTime: '2026-01-01T22:59:58Z' }) } }, found: ['Clocks', 'warning', /leader's clock differs .* by 60m/] }, // prettier-ignore
  {
    because: 'the clock of this machine is behind',
    facts: { lease: { fact: lease({ renewTime: '2026-01-02T00:01:00Z', stored: '2026-01-02T00:01:00Z' }) } },
    found: ['Clocks', 'warning', /this machine is at least 60s behind/],
  },
  { because: 'the policy asks about another manager', facts: { policy: { fact: [[OTHER_POLICY], [BINDING]] } }, found: ['Policy', 'warning', /^The policy slipway-accounts does not ask about the manager in namespace slipway-system/] }, // prettier-ignore
  { because: 'the policy has no binding', facts: { policy: { fact: [[POLICY], []] } }, found: ['Policy', 'warning', /^The policy slipway-accounts has no binding/] }, // prettier-ignore
  { because: 'there is no Catalog', facts: { catalogs: { fact: [] } }, found: ['Catalogs', 'warning', /no Catalog/] },
  {
    because: 'a registry does not answer, and old content is in service',
    facts: {
      catalogs: { fact: [catalog(condition('Ready', 'True', 'CatalogStale', 'registry.example cannot be reached'))] },
    },
    found: ['Catalogs', 'warning', /Catalog team \(CatalogStale\): registry\.example cannot be reached/],
  },
  {
    because: 'a registry does not answer, and nothing is in service',
    facts: { catalogs: { fact: [catalog(condition('Ready', 'False', 'RegistryDenied', 'log in'))] } },
    found: ['Catalogs', 'error', /Catalog team \(RegistryDenied\): log in/],
  },
  {
    because: 'no manager has read a Catalog',
    facts: { catalogs: { fact: [catalog()] } },
    found: ['Catalogs', 'error', /no manager has begun to read it/],
  },
  {
    because: 'a Catalog was just created',
    facts: {
      catalogs: {
        fact: [{ ...catalog(), metadata: { name: 'team', creationTimestamp: NOW.toISOString() } }],
      },
    },
    found: ['Catalogs', 'warning', /Catalog team: it was just created/],
  },
  {
    because: 'a Catalog is being read for the first time',
    facts: {
      catalogs: { fact: [catalog(condition('Ready', 'Unknown', 'Progressing', 'r.example/hub is being read'))] },
    },
    found: ['Catalogs', 'warning', /Catalog team \(Progressing\): r\.example\/hub is being read/],
  },
  { because: 'no manager reconciles', facts: { subscriptions: { fact: [subscription()] } }, found: ['Subscriptions', 'error', /1 of 1 Subscriptions, such as ops\/gadget/] }, // prettier-ignore
  { because: 'the user may not read it', facts: { catalogs: { failure: 'catalogs is forbidden' } }, found: ['Catalogs', 'unknown', /catalogs is forbidden/] }, // prettier-ignore
];

describe('a fault is one finding, with a remedy if it is an error', () => {
  test.each(FAULTS)('$because', ({ facts, found: [check, level, says] }) => {
    const found = examine({ ...HEALTHY, ...facts }, options).filter((one) => one.level !== 'ok');
    const [first] = found as [DoctorFinding];
    expect(first).toMatchObject({ check, level });
    expect(first.message).toMatch(says);
    expect(found.filter((one) => one.check !== check && one.check !== 'Clocks')).toEqual([]);
  });

  test('a Subscription that was just created is no fault', () => {
    const fresh = subscription({ metadata: { creationTimestamp: NOW.toISOString() } });
    const found = examine({ ...HEALTHY, subscriptions: { fact: [fresh] } }, options);
    expect(found.at(-1)).toMatchObject({ check: 'Subscriptions', level: 'ok' });
  });
});

test('the manager has by deploy/rbac each right that is asked about', () => {
  const folder = join(import.meta.dirname, '../../../../deploy/rbac');
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseYaml(readFileSync(join(folder, name))).map(({ value }) => value as Fields));
  const rules = documents.filter(isRecord).flatMap(({ rules: some }) => listOf(some)) as unknown as readonly { apiGroups: string[]; resources: string[]; verbs: string[] }[]; // prettier-ignore
  expect(rules.length).toBeGreaterThan(10);
  const isIn = (list: readonly string[], word: string): boolean => list.includes(word) || list.includes('*');
  const lacking = neededRights('slipway-system').filter(
    ({ verb, group, resource }) =>
      !rules.some((rule) => isIn(rule.apiGroups, group) && isIn(rule.resources, resource) && isIn(rule.verbs, verb)),
  );
  expect(lacking).toEqual([]);
});
