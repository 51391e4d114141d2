/** The lanes of an upgrade graph with the marks of one Subscription, within bounds. Pure. */
import { compareText } from '../../api/compare-text.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { CatalogPackage } from '../../catalog/model.ts';
import { count } from '../../report/count.ts';
import { failuresOf } from '../../report/failures.ts';
import { graphOf, type DrawnNode, type Lane } from '../../report/upgrade-graph.ts';
import { subscriptionPath, withQuery } from './links.ts';
import type { Cut, GraphLane, GraphNode, NodeMark } from './models.ts';
import { Remembered } from './remembered.ts';
import { line, nameOf } from './text.ts';
import { trimChannels } from './trim-channels.ts';

/** More cannot be read on a page; those that matter to the Subscription are always among them. */
export const GRAPH_LIMITS = { lanes: 20, nodes: 120, edges: 600 } as const;

export interface Lanes {
  readonly lanes: readonly GraphLane[];
  readonly cut?: Cut;
}

/** Drawing takes most of the time, and is the same for all persons who open the same content. */
const drawn = new Remembered<DrawnLanes>();

interface DrawnLanes {
  readonly lanes: readonly Lane[];
  readonly omitted: ReadonlyMap<string, number>;
}

/** The followed channels first. @param opened Version or bundle that is shown in any case */
export function lanesOf(subscription: Subscription, content: CatalogPackage, opened: string | undefined): Lanes {
  const { status = {}, spec } = subscription;
  const wanted = spec.channel ?? content.defaultChannel;
  const isFollowed = (channel: string): boolean => wanted === '*' || channel === wanted;
  const rank = (channel: string): number => Number(!isFollowed(channel)) * 2 + Number(channel !== content.defaultChannel); // prettier-ignore
  const channels = [...new Set(content.channels.map(({ name }) => name))]
    .toSorted((one, other) => rank(one) - rank(other) || compareText(one, other))
    .slice(0, GRAPH_LIMITS.lanes);
  const matters = matteringNames(status, opened);
  const { lanes, omitted } = drawn.get([content], [channels, matters], () => {
    const part = trimChannels(content, channels, new Set(matters));
    return { lanes: graphOf(part.content).lanes, omitted: part.omitted };
  });
  const further = new Set(content.channels.map(({ name }) => name)).size - channels.length;
  const sorted = lanes.toSorted((one, other) => channels.indexOf(one.channel) - channels.indexOf(other.channel));
  return {
    lanes: sorted.map((lane) =>
      laneOf(lane, { subscription, isFollowed: isFollowed(lane.channel), opened, omitted: omitted.get(lane.channel) }),
    ),
    ...(further > 0 && { cut: { omitted: further, message: `${count(further, 'further channel')} left out` } }),
  };
}

/** Names of bundles, and versions, that are shown wherever they are. */
function matteringNames({ installed, available, pending, path = [] }: SubscriptionStatus, opened = ''): string[] {
  return [installed?.bundle, available?.bundle, pending?.bundle, ...path, opened].filter((one) => one !== undefined && one !== '') as string[]; // prettier-ignore
}

interface LaneTerms {
  readonly subscription: Subscription;
  readonly isFollowed: boolean;
  readonly opened: string | undefined;
  /** Entries that were left out before the lane was drawn; absent if it was drawn whole. */
  readonly omitted: number | undefined;
}

function laneOf(lane: Lane, { subscription, isFollowed, opened, omitted: before }: LaneTerms): GraphLane {
  const { status = {}, metadata } = subscription;
  const nodes = keptNodes(lane.nodes, status, opened);
  const kept = new Set(nodes.map(({ node }) => node.bundle));
  const omitted = lane.nodes.length - nodes.length + (before ?? 0);
  const versions = new Map(lane.nodes.map(({ bundle, version }) => [bundle, version]));
  const steps = stepsOf(status);
  return {
    channel: nameOf(lane.channel),
    isDefault: lane.isDefault,
    isFollowed,
    ...(lane.deprecation !== undefined && { deprecation: line(lane.deprecation) }),
    nodes: nodes.map(({ node, marks }) => nodeRow(node, before === undefined ? marks : marks.filter(isCertain), withQuery(subscriptionPath(metadata, 'graph'), { version: node.version || node.bundle }))), // prettier-ignore
    edges: lane.edges
      .filter(({ from, to }) => kept.has(from) && kept.has(to))
      .slice(0, GRAPH_LIMITS.edges)
      .map(({ from, to, kind }) => ({
        from: nameOf(from),
        to: nameOf(to),
        kind,
        onPath: steps.has(`${versions.get(from)} ${versions.get(to)}`),
      })),
    ...(omitted > 0 && { cut: { omitted, message: `${count(omitted, 'further version')} left out` } }),
  };
}

function nodeRow(
  { bundle, version, deprecation, skipRange }: DrawnNode,
  marks: readonly NodeMark[],
  href: string,
): GraphNode {
  // prettier-ignore
  return {
    bundle: nameOf(bundle),
    version: nameOf(version),
    marks,
    ...(deprecation !== undefined && { deprecation: line(deprecation) }),
    ...(skipRange !== undefined && { skipRange: nameOf(skipRange) }),
    href,
  };
}

/** A way to the head may lead over versions that are left out. */
function isCertain(mark: NodeMark): boolean {
  return mark !== 'stranded';
}

interface MarkedNode {
  readonly node: DrawnNode;
  readonly marks: readonly NodeMark[];
}

/** The highest ones, and those that matter wherever they are. */
function keptNodes(
  nodes: readonly DrawnNode[],
  status: SubscriptionStatus,
  opened: string | undefined,
): readonly MarkedNode[] {
  // prettier-ignore
  const marked = nodes.map((node) => ({ node, marks: marksOf(node, status) }));
  const matters = ({ node, marks }: MarkedNode): boolean =>
    marks.some((mark) => MATTERING.has(mark)) || node.version === opened || node.bundle === opened;
  const mattering = marked.filter(matters).length;
  let room = Math.max(0, GRAPH_LIMITS.nodes - mattering);
  return marked.filter((one) => matters(one) || room-- > 0);
}

const MATTERING: ReadonlySet<NodeMark> = new Set(['installed', 'available', 'path', 'pending']);

function marksOf({ bundle, version, marks }: DrawnNode, status: SubscriptionStatus): readonly NodeMark[] {
  const { installed, available, pending, path = [], refused = [] } = status;
  const own: readonly (NodeMark | false)[] = [
    installed?.bundle === bundle && 'installed',
    available?.bundle === bundle && available.bundle !== installed?.bundle && 'available',
    path.includes(version) && available?.bundle !== bundle && 'path',
    pending?.bundle === bundle && 'pending',
    failuresOf(status).some((one) => one.bundle === bundle) && 'quarantined',
    refused.some((one) => one.version === version) && 'refused',
  ];
  return [...own.filter((mark) => mark !== false), ...marks];
}

/** The pairs of versions that follow each other on the path. */
function stepsOf({ installed, path = [] }: SubscriptionStatus): ReadonlySet<string> {
  const versions = installed === undefined || path[0] === installed.version ? path : [installed.version, ...path];
  return new Set(versions.slice(1).map((to, at) => `${versions[at]} ${to}`));
}
