/** The content of a plan as titled lists of lines: text and Markdown print the same. Pure; lines are not cleaned yet. */
import { describeFinding } from '../apply/crd-safety/compare.ts';
import { describeRef } from '../api/object.ts';
import { NOT_KNOWN, type ChangedObject, type CrdChange, type Plan } from '../plan/model.ts';
import { describeRight } from '../plan/risk.ts';
import { count } from './count.ts';

export interface Section {
  readonly title: string;
  /** In place of the number of lines. */
  readonly summary?: string;
  readonly lines: readonly string[];
}

/** The sections that have lines, without the risks. */
export function sectionsOf(plan: Plan): readonly Section[] {
  const all: readonly Section[] = [
    { title: 'Rights gained', lines: plan.rights.gained.map((right) => `${right.danger}: ${describeRight(right)}`) },
    { title: 'Rights lost', lines: plan.rights.lost.map(({ holder, words }) => `${holder} ${words}`) },
    { title: 'Images', lines: describeImages(plan) },
    { title: 'CRDs', lines: plan.crds.flatMap(describeCrd) },
    { title: 'Webhooks', lines: describeWebhooks(plan) },
    {
      title: 'Dependencies',
      lines: [...signed('+', plan.dependencies.added), ...signed('-', plan.dependencies.removed)],
    },
    { title: 'Restarts', lines: plan.restarts.map(({ ref, because }) => `${describeRef(ref)}: ${because}`) },
    { title: 'Objects', summary: countObjects(plan), lines: describeObjects(plan) },
    { title: 'Added by Slipway', lines: describeAdditions(plan) },
    { title: 'Not known', lines: plan.unknown },
  ];
  return all.filter(({ lines }) => lines.length > 0);
}

/** `widgets 1.0.0 → 1.1.0` */
export function titleOf({ package: name, from, to }: Plan): string {
  if (to === undefined) return `uninstall of ${name} ${from?.version ?? ''}`;
  return from === undefined ? `installation of ${name} ${to.version}` : `${name} ${from.version} → ${to.version}`;
}

export function wayBackOf({ wayBack, from }: Plan): string {
  if (!wayBack.exists) return 'there is none';
  return from === undefined ? 'uninstall it' : `back to ${from.version}`;
}

function signed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${sign} ${line}`);
}

function describeImages({ images }: Plan): readonly string[] {
  return [
    ...signed(
      '+',
      images.added.map(({ image }) => image),
    ),
    ...signed(
      '-',
      images.removed.map(({ image }) => image),
    ),
  ];
}

function describeWebhooks({ webhooks }: Plan): readonly string[] {
  return [
    ...webhooks.added.map(
      ({ name, type, intercepts, failurePolicy }) => `+ ${name} (${type}, ${failurePolicy}): ${intercepts}`,
    ),
    ...signed(
      '-',
      webhooks.removed.map(({ name }) => name),
    ),
  ];
}

function describeCrd(change: CrdChange): readonly string[] {
  const { crd, versionsAdded, versionsRemoved, storage, storedVersions, customResources, findings } = change;
  const facts = [
    ...(change.change === 'created' ? [] : [`custom resources: ${describeKnown(customResources)}`]),
    ...(change.change === 'created' ? [] : [`stored versions: ${describeKnown(storedVersions)}`]),
    ...(versionsAdded.length > 0 ? [`versions added: ${versionsAdded.join(', ')}`] : []),
    ...(versionsRemoved.length > 0 ? [`versions removed: ${versionsRemoved.join(', ')}`] : []),
    ...(storage === undefined ? [] : [`storage version: ${storage.from} → ${storage.to}`]),
  ];
  return [
    `${crd} is ${change.change}${facts.length === 0 ? '' : `; ${facts.join('; ')}`}`,
    ...findings.map(
      (finding) => `${crd}: ${finding.effect}${finding.waived ? ' (waived)' : ''}: ${describeFinding(finding)}`,
    ),
  ];
}

function describeKnown(value: number | readonly string[] | typeof NOT_KNOWN): string {
  if (value === NOT_KNOWN) return 'not known';
  return typeof value === 'number' ? String(value) : value.join(', ');
}

/** `1 created, 2 changed, 20 unchanged` */
export function countObjects({ objects }: Plan): string {
  const kinds = ['created', 'changed', 'replaced', 'deleted', 'kept', 'unchanged'] as const;
  const parts = kinds.filter((kind) => objects[kind].length > 0).map((kind) => `${objects[kind].length} ${kind}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function describeObjects({ objects }: Plan): readonly string[] {
  return [
    ...objects.created.map((ref) => `+ ${describeRef(ref)}`),
    ...objects.changed.flatMap((one) => describeChanged('~', one)),
    ...objects.replaced.flatMap((one) => describeChanged('!', one)),
    ...objects.deleted.map((ref) => `- ${describeRef(ref)}`),
    ...objects.kept.map(({ ref, message }) => `= ${describeRef(ref)} ${message}`),
  ];
}

const SIGNS = { created: '+', changed: '~', deleted: '-', unchanged: '=' } as const;

function describeAdditions({ additions }: Plan): readonly string[] {
  return [
    ...additions.objects.map(({ ref, change, purpose }) => `${SIGNS[change]} ${describeRef(ref)}: ${purpose}`),
    ...[...additions.fields, ...(additions.dropped ?? [])].map(
      ({ ref, path, purpose }) => `${describeRef(ref)} ${path}: ${purpose}`,
    ),
  ];
}

function describeChanged(sign: string, { ref, fields, more }: ChangedObject): readonly string[] {
  return [
    `${sign} ${describeRef(ref)}`,
    ...fields.map(({ path, from, to }) => `    ${path}: ${describeValue(from, to)}`),
    ...(more > 0 ? [`    and ${count(more, 'more field')}`] : []),
  ];
}

function describeValue(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return `added ${to ?? ''}`;
  return to === undefined ? `removed ${from}` : `${from} → ${to}`;
}
