/** Renders docs/api.md from the kinds, conditions, reasons and names of api/. Pure: scripts/generate.ts writes it. */
import { CONDITIONS } from '../api/conditions.ts';
import { toStructuralSchema, type StructuralSchema } from '../api/crd/schema.ts';
import { children } from '../api/crd/structural.ts';
import type { CelRule } from '../api/fields.ts';
import type { CustomKind } from '../api/kind.ts';
import { ANNOTATION, API_VERSION, FIELD_MANAGER, FINALIZER, GROUP, LABEL } from '../api/names.ts';
import { REASONS } from '../api/reasons.ts';
import { joinPath, markdownTable, renderFieldTables } from './field-table.ts';

/** docs/api.md, complete, for the given kinds. */
export function renderApiDocs(kinds: readonly CustomKind[]): string {
  const parts = [
    `# The API: \`${API_VERSION}\``,
    INTRODUCTION,
    ...kinds.flatMap(renderKind),
    ...renderConditions(),
    ...renderReasons(),
    ...renderNames(),
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `Every field of every kind, with its bounds. A field in **bold** is required if its parent exists. \`[]\` stands for each
entry of a list. \`kubectl explain subscriptions.${GROUP}.spec\` says the same;
\`kubectl get slipway -A\` lists the objects of all kinds. [glossary.md](glossary.md) defines the words.`;

function renderKind({ kind, plural, scope, schema, columns }: CustomKind): readonly string[] {
  const root = toStructuralSchema(schema);
  const shown = columns.map(({ name, wide }) => (wide === true ? `${name} (with \`-o wide\`)` : name));
  return [
    `## ${kind}`,
    `${root.description ?? ''} ${scope === 'Cluster' ? 'Cluster-scoped.' : 'Namespaced.'}`,
    `\`kubectl get ${plural}.${API_VERSION.split('/')[0] ?? ''}\` shows: ${shown.join(', ')}.`,
    ...['spec', 'status'].flatMap((name) => renderFieldTables(root.properties?.[name] ?? {}, `${kind} ${name}`)),
    ...renderRules(root),
  ];
}

function renderRules(schema: StructuralSchema): readonly string[] {
  const lines = collectRules(schema, '').map(({ path, message }) => `- ${path === '' ? '' : `\`${path}\` `}${message}`);
  return lines.length === 0
    ? []
    : ['Checks of the API server beyond types and bounds:', [...new Set(lines)].join('\n')];
}

function collectRules(node: StructuralSchema, path: string): readonly { path: string; message: string }[] {
  const rules = (node['x-kubernetes-validations'] ?? []) as readonly CelRule[];
  const own = rules.map(({ message, fieldPath }) => ({ path: `${path}${fieldPath ?? ''}`, message }));
  return own.concat(children(node).flatMap(([name, child]) => collectRules(child, joinPath(path, name))));
}

function renderConditions(): readonly string[] {
  return [
    '## Conditions',
    'As kstatus reads them. Every kind has `Ready`, `Reconciling` and `Stalled`; a Revision has `Contested` too, and a Subscription all others.',
    markdownTable(['type', 'meaning'], Object.entries(CONDITIONS).map(asCode)),
  ];
}

function renderReasons(): readonly string[] {
  return [
    '## Reasons',
    'The closed list of words that a condition, an event or an error carries.',
    markdownTable(['reason', 'meaning'], Object.entries(REASONS).map(asCode)),
  ];
}

function renderNames(): readonly string[] {
  const names: readonly (readonly [string, string])[] = [
    [FIELD_MANAGER, 'Field manager of everything that Slipway applies.'],
    [
      FINALIZER,
      'Finalizer that holds a Subscription until its Revisions are gone, and a Revision until its objects are.',
    ],
    [
      `${GROUP}/adoption`,
      'Finalizer that holds the object of OLM while its operator is handed over; label of the Secret with the backup of that.',
    ],
    [`${GROUP}/adopted-by`, 'Label of that Secret with the Subscription that takes the operator over.'],
    [`${GROUP}/adoption-stage`, 'Annotation of that Secret: how far the hand-over is.'],
    [
      `${GROUP}/adoption-paused`,
      "Annotation on OLM v0's Subscription whose approval was set to manual for the hand-over.",
    ],
    [`${GROUP}/adoption-offer`, 'Annotation on a ClusterExtension of OLM v1 during the way back.'],
    [LABEL.managedBy, `Label with the value \`${FIELD_MANAGER}\` on everything that Slipway applies.`],
    [
      LABEL.owner,
      'Label with `<namespace>.<name>` of the owning Subscription, hashed if it is too long; annotation with `<namespace>/<name>` in full.',
    ],
    [LABEL.package, 'Label with the name of the package, hashed if it is too long.'],
    [LABEL.revision, 'Label with the name of the Revision, hashed if it is too long.'],
    [
      LABEL.dependency,
      'Label with the value `true` on a Subscription that was created as a dependency of another package.',
    ],
    [
      `${GROUP}/client`,
      'Label that a user sets to `true` on a namespace: its Pods may read metrics and catalog content.',
    ],
    [`${GROUP}/console-client`, 'Label that a user sets to `true` on a namespace: its Pods may reach the console.'],
    [ANNOTATION.ownerUid, 'Annotation with the uid of the owning Subscription: a later one may get the same name.'],
    [ANNOTATION.requestedBy, 'Annotation of a dependency with the uid of the Subscription that requested it.'],
    [
      ANNOTATION.upgradePolicy,
      'Annotation that a user sets on a namespace: the upgrade policy, as JSON, of its Subscriptions that have none.',
    ],
    [
      ANNOTATION.lossesAcknowledgedAt,
      'Annotation that a user sets on a Subscription: losses of custom resources up to this time are known, and not reported any more.',
    ],
    [
      ANNOTATION.reconcileRequestedAt,
      'Annotation: any new value asks for a reconcile now; echoed in `status.lastHandledReconcileAt`.',
    ],
    [
      ANNOTATION.adoptBy,
      'Annotation with `<namespace>/<name>` of the Subscription that may take over an object that exists.',
    ],
    [ANNOTATION.keptBy, 'Annotation with the Revision that keeps an object which another Revision may be deleting.'],
    [ANNOTATION.access, 'Annotation on rights of the manager that come and go with an operator, with their purpose.'],
    [ANNOTATION.copiedFrom, 'Annotation on the copy of a pull secret, with uid and resourceVersion of its source.'],
    [
      ANNOTATION.certificateDue,
      'Annotation on the Secret of a certificate of a webhook: when the next step of its rotation is due.',
    ],
    [
      `${GROUP}/certificate`,
      'Annotation on the Pods of a Deployment with the certificate of its webhooks: a new one replaces the Pods.',
    ],
    [ANNOTATION.rehearsal, 'Annotation during a rehearsal: the `pod-template-hash` of the Pods that keep working.'],
    [
      ANNOTATION.letIn,
      'Annotation after a rehearsal: the `pod-template-hash` of the Pods that passed, while their predecessors still exist.',
    ],
    [`${GROUP}/probe`, 'Label on the ConfigMap, never stored, for which the API server is asked to call a webhook.'],
    [`${GROUP}/touched`, 'Annotation on a CRD whose deletion hung in the API server.'],
    [`${GROUP}/manifests`, 'Type of the Secrets with the manifests of a Revision.'],
    [`${GROUP}/plan`, 'Type of the Secret with the plan of a Revision.'],
  ];
  return ['## Names on objects', markdownTable(['name', 'meaning'], names.map(asCode))];
}

function asCode([name, meaning]: readonly [string, string]): readonly [string, string] {
  return [`\`${name}\``, meaning];
}
