/**
 * Whether an operator of OLM v1 can be handed over now. Pure: a table of states, the first that applies decides. A refusal
 * says what to do; a note announces an effect.
 */
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf, itemsOf, textOf } from '../../api/untyped.ts';
import { describeCollected } from '../collected.ts';
import { noteOfDeclaration } from '../from-git.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { catalogFilter, conditionOf, installedBundle, isSettled } from './extension.ts';
import { extensionRef, OFFER, OLM_PREFIX, SERVING_CERTIFICATE } from './kinds.ts';
import { isExtension, otherExtension } from './marks.ts';

/** A ClusterExtension by itself. */
export interface KnownExtension {
  readonly name: string;
  /** Absent if it does not exist. */
  readonly extension: KubeObject | undefined;
}

/** The facts about one ClusterExtension. */
export interface ExtensionSurvey extends KnownExtension {
  /** The objects that OLM has made for it, metadata only. */
  readonly objects: readonly KubeObject[];
  /** Its ClusterObjectSets, by which OLM v1 installs if its alpha feature is on. */
  readonly objectSets: readonly KubeObject[];
}

/** The closed list of reasons for which an operator is not handed over. */
export const REFUSALS = [
  'ExtensionNotFound',
  'BeingHandedBack',
  'BeingDeleted',
  'NotInstalled',
  'UpgradeInProgress',
  'NotSucceeded',
  'NoObjects',
  'FinalizersOfOthers',
  'SeveralChannels',
  'InstalledByObjectSets',
  'CertificatesOfOpenShift',
  'ObjectsOfOthers',
] as const;

export type Refusal = (typeof REFUSALS)[number];

export type Verdict =
  | { readonly kind: 'ready'; readonly notes: readonly string[] }
  /** The state passes by itself. */
  | { readonly kind: 'wait'; readonly reason: Refusal; readonly message: string }
  /** A person has to change the state first. */
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly message: string };

/** The verdict on an operator whose hand-over has not begun. */
export function judgeExtension(survey: ExtensionSurvey): Verdict {
  const ready = { kind: 'ready', notes: NOTES.flatMap((note) => note(survey) ?? []) } as const;
  return judgeAlone(survey) ?? firstOf(RULES_OF_OBJECTS, survey) ?? ready;
}

/** Why a ClusterExtension cannot be handed over now, if its objects do not matter for that. */
export function judgeAlone(known: KnownExtension): Verdict | undefined {
  return firstOf(RULES, known);
}

function firstOf<Facts>(rules: readonly Rule<Facts>[], facts: Facts): Verdict | undefined {
  for (const rule of rules) {
    const verdict = rule(facts);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** The way back has begun, so that no hand-over goes on. */
export function goingBack(extension: string): string {
  return `the operator is being handed back. Go on by \`slipway adopt undo ${extension} --from olm-v1\``;
}

type Rule<Facts> = (facts: Facts) => Verdict | undefined;

const RULES: readonly Rule<KnownExtension>[] = [
  ({ name, extension }) =>
    extension === undefined
      ? refused(
          'ExtensionNotFound',
          `${describeRef(extensionRef(name))} does not exist. List them by \`slipway adopt plan --from olm-v1\``,
        )
      : undefined,
  ({ name, extension }) =>
    OFFER in (extension?.metadata.annotations ?? {}) ? refused('BeingHandedBack', goingBack(name)) : undefined,
  ({ extension }) =>
    extension?.metadata.deletionTimestamp === undefined
      ? undefined
      : refused('BeingDeleted', 'it is being deleted, and OLM deletes the operator with it'),
  ({ extension }) =>
    installedBundle(extension).version === ''
      ? wait('NotInstalled', conditionOf(extension, 'Progressing')?.message ?? 'OLM has installed nothing for it yet')
      : undefined,
  ({ extension }) => {
    if (isSettled(extension)) return undefined;
    const progressing = conditionOf(extension, 'Progressing');
    const message = progressing?.message ?? 'OLM has not reported a state';
    return progressing?.status === 'False'
      ? refused('NotSucceeded', `OLM does not go on: ${message}`)
      : wait('UpgradeInProgress', `OLM is at work on it: ${message}`);
  },
  ({ extension }) => {
    const channels = itemsOf(catalogFilter(extension)['channels']).map(textOf);
    return channels.length > 1
      ? refused(
          'SeveralChannels',
          `it names the channels ${channels.join(', ')}, and a Subscription of Slipway has one. Leave one in spec.source.catalog.channels, or none for all`,
        )
      : undefined;
  },
  ({ extension }) => {
    const other = extension?.metadata.finalizers?.find((one) => !one.startsWith(OLM_PREFIX) && one !== HOLD);
    return other === undefined
      ? undefined
      : refused(
          'FinalizersOfOthers',
          `its finalizer ${other} is not of OLM. Remove it with the program that has added it`,
        );
  },
];

const RULES_OF_OBJECTS: readonly Rule<ExtensionSurvey>[] = [
  ({ objectSets: [set] }) =>
    set === undefined
      ? undefined
      : refused(
          'InstalledByObjectSets',
          `OLM has installed it by ${describeRef(refOf(set))}, an alpha feature that Slipway does not take over`,
        ),
  ({ objects }) =>
    objects.length > 0
      ? undefined
      : refused(
          'NoObjects',
          'no object names it as its owner, so that OLM has installed it in a way that is not known',
        ),
  ({ objects }) => {
    const service = objects.find(({ metadata }) => SERVING_CERTIFICATE in (metadata.annotations ?? {}));
    return service === undefined
      ? undefined
      : refused(
          'CertificatesOfOpenShift',
          `the certificate of ${describeRef(refOf(service))} is issued by OpenShift, which Slipway does not take over`,
        );
  },
  ({ name, objects }) => {
    const shared = objects.find((object) => otherExtension(object, name) !== undefined);
    return shared === undefined
      ? undefined
      : refused(
          'ObjectsOfOthers',
          `${describeRef(refOf(shared))} belongs to ClusterExtension ${otherExtension(shared, name)} too. Remove one of the two operators from OLM first`,
        );
  },
  ({ name, objects }) => {
    const collected = describeCollected(objects, (owner) => isExtension(owner, name));
    return collected === undefined ? undefined : refused('ObjectsOfOthers', collected);
  },
];

const NOTES: readonly ((survey: ExtensionSurvey) => string | undefined)[] = [
  ({ extension }) => extension && noteOfDeclaration(extension),
  ({ extension }) =>
    catalogFilter(extension)['selector'] === undefined
      ? undefined
      : 'it selects ClusterCatalogs by labels, which have no counterpart: --catalog names the only Catalog',
  ({ extension }) => {
    const account = textOf(fieldsOf(fieldsOf(extension?.['spec'])['serviceAccount'])['name']);
    return account === ''
      ? undefined
      : `ServiceAccount ${account} stays, and so do its rights: delete them by hand if nothing else uses them`;
  },
];

function refused(reason: Refusal, message: string): Verdict {
  return { kind: 'refused', reason, message };
}

function wait(reason: Refusal, message: string): Verdict {
  return { kind: 'wait', reason, message };
}
