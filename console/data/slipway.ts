/** Slipway itself: which manager leads, how old the content of Catalogs is, and which versions run. Pure. */
import { compareText } from '../../api/compare-text.ts';
import type { Catalog } from '../../api/catalog.ts';
import { findCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import type { RegistryPolicy } from '../../api/registry-policy.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import type { DoctorLevel, JudgedFinding } from '../../report/finding.ts';
import { judgeLease } from '../../report/lease.ts';
import { MANAGER } from '../../report/manager.ts';
import { serverOf } from '../../report/versions.ts';
import { readyBadge } from './badges.ts';
import { accessOfOffers, type ButtonTerms } from './buttons.ts';
import type { CatalogRow, Fact, FindingRow, Moment, PolicyRow, SlipwayModel, Tone } from './models.ts';
import { accountOf, reachNotices, readyMessage } from './objects.ts';
import { buttonsOf, refreshOffer, termsOf } from './offers.ts';
import { line, nameOf } from './text.ts';
import type { Asked, View, Visible } from './view.ts';

const MOST_ROWS = 500;

export const slipway: View<SlipwayModel> = {
  path: '/slipway',
  query: [],
  reads: ['catalogs', 'registryPolicies', 'leases'],
  ask: (visible) => ({
    access: accessOfOffers(shownCatalogs(visible).map(refreshOffer), accountOf(visible)),
    versions: true,
  }),
  show: showSlipway,
};

function showSlipway(visible: Visible, _parameters: unknown, asked: Asked): SlipwayModel {
  const lease = leaseOf(visible);
  const { holderIdentity, renewTime } = fieldsOf(lease?.['spec']);
  const catalogs = shownCatalogs(visible);
  const terms = termsOf(visible, { askedFor: catalogs.map(refreshOffer), asked });
  return {
    title: 'Slipway',
    notices: reachNotices(visible, ['leases', 'catalogs', 'registryPolicies']),
    findings: findingsOf(visible, lease, asked),
    ...(textOf(holderIdentity) !== '' && { leader: nameOf(holderIdentity) }),
    ...(textOf(renewTime) !== '' && { renewed: nameOf(renewTime) }),
    facts: versionFacts(asked),
    catalogs: catalogs.map((one) => catalogRow(one, terms)),
    policies: visible.registryPolicies.slice(0, MOST_ROWS).map(policyRow),
    ...(catalogs.length === 0 && {
      empty: { message: 'There is no Catalog. Create one: docs/tutorial.md', next: [] },
    }),
  };
}

function leaseOf({ leases, systemNamespace }: Visible): KubeObject | undefined {
  return leases.find(({ metadata }) => metadata.name === MANAGER && metadata.namespace === systemNamespace);
}

const LEVELS: Readonly<Record<DoctorLevel, Tone>> = {
  ok: 'good',
  warning: 'waiting',
  error: 'bad',
  unknown: 'unknown',
};

/** A Lease that may not be read says nothing about the leader. */
function findingsOf(visible: Visible, lease: KubeObject | undefined, { versions }: Asked): readonly FindingRow[] {
  if (lease === undefined && visible.reach.leases.length === 0) return [];
  const deployment = versions !== undefined && 'value' in versions ? versions.value.manager : undefined;
  return judgeLease(lease, { namespace: visible.systemNamespace, now: visible.now }, deployment)
    .map(timeless)
    .map(({ level, message, advice }) => ({
      // prettier-ignore
      level: { word: level, tone: LEVELS[level] },
      message: line(message),
      ...(advice !== undefined && { advice: line(advice) }),
    }));
}

/** The age of the last renewal changes each second; the model has its time. */
function timeless(finding: JudgedFinding): JudgedFinding {
  return { ...finding, message: finding.message.replace(/, and its Lease was renewed \S+ ago$/, '') };
}

function versionFacts({ versions }: Asked): readonly Fact[] {
  if (versions === undefined) return [];
  if ('failure' in versions) return [{ name: 'Versions', values: [line(versions.failure.message)] }];
  const { kubernetes, manager, console: own } = versions.value;
  const server = manager === undefined ? undefined : serverOf(manager);
  return [
    { name: 'Console', values: [nameOf(own)] },
    {
      name: 'Manager',
      values:
        server === undefined
          ? [`no Deployment ${MANAGER} that you may read`]
          : [line(`${server.version} (${server.ready} of ${server.replicas} replicas ready)`), line(server.image)],
    },
    { name: 'Kubernetes', values: [nameOf(kubernetes)] },
  ];
}

function shownCatalogs({ catalogs }: Visible): readonly Catalog[] {
  return catalogs
    .toSorted(
      (one, other) => other.spec.priority - one.spec.priority || compareText(one.metadata.name, other.metadata.name),
    ) // prettier-ignore
    .slice(0, MOST_ROWS);
}

function catalogRow(catalog: Catalog, terms: ButtonTerms): CatalogRow {
  const { metadata, spec, status = {} } = catalog;
  const { conditions, digest, packages, channels, bundles, signature } = status;
  const isWorking = findCondition(conditions, 'Reconciling') !== undefined;
  return {
    name: nameOf(metadata.name),
    state: readyBadge(findCondition(conditions, 'Ready'), isWorking),
    message: readyMessage('Catalog', conditions),
    source: sourceOf(catalog),
    ...(digest !== undefined && { digest: nameOf(digest) }),
    ...(packages !== undefined && { packages }),
    ...(channels !== undefined && { channels }),
    ...(bundles !== undefined && { bundles }),
    priority: spec.priority,
    moments: momentsOf(catalog),
    ...(signature !== undefined && {
      signature: line(signature.by === undefined ? (signature.problem ?? '') : `signed by ${signature.by}`),
    }),
    buttons: buttonsOf([refreshOffer(catalog)], terms),
  };
}

function sourceOf({ spec: { source } }: Catalog): string {
  if (source.image !== undefined) return line(source.image.ref);
  const names = (source.repositories ?? []).map(({ repository }) => repository);
  return line(names.join(', '), 1000);
}

function momentsOf({ status = {} }: Catalog): readonly Moment[] {
  const moment = (name: string, time: string | undefined): readonly Moment[] =>
    time === undefined ? [] : [{ name, time: nameOf(time) }];
  return [
    ...moment('Registry asked', status.lastChecked),
    ...moment('Content changed', status.lastChanged),
    ...moment('Content built', status.created),
  ];
}

function policyRow({ metadata, spec, status }: RegistryPolicy): PolicyRow {
  return {
    name: nameOf(metadata.name),
    prefix: nameOf(spec.prefix),
    state: readyBadge(findCondition(status?.conditions, 'Ready'), false),
    message: readyMessage('RegistryPolicy', status?.conditions),
  };
}
