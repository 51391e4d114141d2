/** The preview of an uninstall: which objects are deleted, in which order, and which stay. Pure. */
import { describeOpen } from '../../adoption/describe-open.ts';
import type { Subscription } from '../../api/subscription.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { CustomResourcePolicy } from '../../apply/plan-uninstall.ts';
import {
  describeOrphaned,
  inventoryOf,
  linesOfPreview,
  namesOfGiven,
  previewOf,
  type GivenByOlm,
  type Preview,
} from '../../report/uninstall-preview.ts';
import type { ActionOf } from './actions.ts';
import { accessOfOffers, type Offer } from './buttons.ts';
import type { Badge, Notice, UninstallChoice, UninstallModel } from './models.ts';
import { accountOf, reachNotices, revisionsOf } from './objects.ts';
import { ofSubscription } from './of-subscription.ts';
import { buttonsOf, placeOf, termsOf } from './offers.ts';
import { line, nameOf } from './text.ts';
import type { Asked, Parameters, View, Visible } from './view.ts';

const MOST_STAYS = 200;

export const uninstall: View<UninstallModel> = {
  path: '/subscriptions/:namespace/:name/uninstall',
  query: ['customResources', 'objects'],
  reads: ['subscriptions', 'revisions'],
  ...ofSubscription({
    ask: (visible, found, parameters) => {
      const { namespace = '', name, uid = '' } = found.metadata;
      return {
        access: accessOfOffers(offersOf(found, chosenFrom(found, parameters)), accountOf(visible, found)),
        customResources: { owner: { namespace, name, uid }, inventory: inventoryOf(revisionsOf(visible, found)) },
        givenByOlm: found,
      };
    },
    show: (visible, found, { parameters, asked }) =>
      showUninstall(visible, found, chosenFrom(found, parameters), asked),
  }),
};

/** The policies of the uninstall: those of the person, else of the spec. */
interface Chosen {
  readonly customResources: CustomResourcePolicy;
  readonly objects: 'Delete' | 'Orphan';
}

const POLICIES: readonly CustomResourcePolicy[] = ['Retain', 'Delete', 'Block'];

function chosenFrom({ spec }: Subscription, { customResources, objects }: Parameters): Chosen {
  return {
    customResources: POLICIES.find((one) => one === customResources) ?? spec.uninstall.customResources,
    objects: objects === 'Delete' || objects === 'Orphan' ? objects : spec.uninstall.objects,
  };
}

function showUninstall(visible: Visible, found: Subscription, chosen: Chosen, asked: Asked): UninstallModel {
  const { metadata } = found;
  const preview = previewFor(visible, found, chosen, asked);
  const askedFor = offersOf(found, chosen);
  const isRemoved = metadata.deletionTimestamp !== undefined;
  return {
    title: nameOf(`Uninstall ${metadata.namespace}/${metadata.name}`),
    notices: [
      ...reachNotices(visible, ['revisions']),
      ...(isRemoved ? [{ tone: 'working', text: 'The Subscription is being deleted already' } as const] : []),
      ...handOverNotices(found, chosen, asked),
    ],
    namespace: nameOf(metadata.namespace),
    name: nameOf(metadata.name),
    ...preview,
    dependents: dependentsOf(visible, found),
    choices: choicesOf(chosen),
    buttons: buttonsOf(askedFor, termsOf(visible, { askedFor, asked, subscription: found })),
  };
}

type PreviewPart = Pick<UninstallModel, 'state' | 'summary' | 'deleted' | 'steps' | 'customResources' | 'givenByOlm' | 'stays' | 'doubts'>; // prettier-ignore

const BADGES: Readonly<Record<Preview['state'], Badge>> = {
  Ready: { word: 'Ready', tone: 'good' },
  Blocked: { word: 'Blocked', tone: 'waiting' },
  Held: { word: 'Held', tone: 'waiting' },
  Unknown: { word: 'Unknown', tone: 'unknown' },
};

function previewFor(visible: Visible, found: Subscription, chosen: Chosen, asked: Asked): PreviewPart {
  const inventory = inventoryOf(revisionsOf(visible, found));
  const nothing = { deleted: 0, steps: [], customResources: [], givenByOlm: [], stays: [], doubts: [] };
  if (chosen.objects === 'Orphan')
    return { ...nothing, state: BADGES.Ready, summary: line(describeOrphaned(inventory.length)) };
  const answer = asked.customResources;
  if (answer === undefined || 'failure' in answer) {
    const why = answer === undefined ? 'custom resources are being counted' : `custom resources cannot be counted: ${answer.failure.message}`; // prettier-ignore
    return { ...nothing, state: BADGES.Unknown, summary: line(`It is not known which objects are deleted: ${why}`) };
  }
  const facts = { inventory, counts: answer.value, policy: chosen.customResources };
  const preview = previewOf(found, { ...facts, givenByOlm: givenIn(asked) });
  const [summary = ''] = linesOfPreview(preview);
  return {
    state: BADGES[preview.state],
    summary: line(summary),
    deleted: preview.steps.reduce((sum, { objects }) => sum + objects, 0),
    steps: preview.steps.map(({ name, objects, kinds }) => ({
      name,
      objects,
      kinds: kinds.slice(0, MOST_STAYS).map(nameOf),
    })),
    customResources: preview.customResources.map(({ crd, objects }) => ({ crd: nameOf(crd), objects: line(objects) })),
    givenByOlm: (preview.givenByOlm ?? []).slice(0, MOST_STAYS).map(nameOf),
    stays: preview.stays.slice(0, MOST_STAYS).map((one) => line(one)),
    doubts: preview.doubts.slice(0, MOST_STAYS).map((one) => line(one)),
  };
}

/** As on the command line, none for a person who may not read the backups; most may not, and most operators have none. */
function givenIn({ givenByOlm: answer }: Asked): GivenByOlm {
  if (answer === undefined) return namesOfGiven({ rights: [] });
  if ('value' in answer) return namesOfGiven(answer.value);
  const { reason, message } = answer.failure;
  const stays = reason === 'Forbidden' ? [] : [`Rights that OLM had given the operator may stay: ${message}`];
  return { deleted: [], stays };
}

/** None on the way back to OLM: the page says so, and that nothing is deleted. */
function handOverNotices(found: Subscription, { objects }: Chosen, { givenByOlm: answer }: Asked): readonly Notice[] {
  const { held, begun = [] } = answer !== undefined && 'value' in answer ? answer.value : {};
  if (held !== undefined) return [];
  const sentences = describeOpen(found, begun, objects === 'Orphan');
  return sentences.slice(0, MOST_STAYS).map((one) => ({ tone: 'waiting', text: line(one) }));
}

/** The act names the policies of the page also if the spec has them: it may have other ones by the time of the act. */
function offersOf(found: Subscription, chosen: Chosen): readonly Offer[] {
  const { metadata } = found;
  if (metadata.deletionTimestamp !== undefined) return [];
  const action: ActionOf<'uninstall'> = { kind: 'uninstall', ...placeOf(found), uid: metadata.uid ?? '', ...chosen };
  const staysAll = chosen.objects === 'Orphan';
  return [
    {
      label: staysAll ? 'Delete the Subscription, and leave its objects' : 'Uninstall',
      action,
      confirm: staysAll ? 'Every object stays, and is not managed any more.' : 'The objects of this page are deleted. That cannot be undone.', // prettier-ignore
      typed: metadata.name,
    },
  ];
}

/** Subscriptions that the manager made because this one depends on their packages. */
function dependentsOf({ subscriptions }: Visible, { metadata, spec }: Subscription): readonly string[] {
  const policy = spec.uninstall.dependencies;
  const effect = policy === 'Delete' ? 'is deleted after this one, unless another one needs it' : 'stays';
  return subscriptions
    .filter((one) => one.metadata.annotations?.[ANNOTATION.requestedBy] === metadata.uid && metadata.uid !== undefined)
    .slice(0, MOST_STAYS)
    .map((one) => line(`Subscription ${one.metadata.namespace}/${one.metadata.name} was made because this one depends on it, and ${effect}`)); // prettier-ignore
}

function choicesOf({ customResources, objects }: Chosen): readonly UninstallChoice[] {
  return [
    {
      name: 'customResources',
      label: 'Custom resources',
      value: customResources,
      choices: [
        { value: 'Retain', label: 'Keep them', help: 'CRDs that have custom resources stay.' },
        { value: 'Delete', label: 'Delete them', help: 'They are deleted first, while the operator still runs.' },
        { value: 'Block', label: 'Wait for them', help: 'Nothing is deleted until they are gone.' },
      ],
    },
    {
      name: 'objects',
      label: 'Objects of the operator',
      value: objects,
      choices: [
        { value: 'Delete', label: 'Delete them', help: 'The operator is uninstalled.' },
        { value: 'Orphan', label: 'Leave them', help: 'The operator goes on, without upgrades and repairs.' },
      ],
    },
  ];
}
