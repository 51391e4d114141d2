/** The lanes of an upgrade graph with the marks of one Subscription, within bounds. Pure. */
import type { Subscription, SubscriptionStatus } from '../../api/subscription.ts';
import type { CatalogPackage } from '../../catalog/model.ts';
import { count } from '../../report/count.ts';
import { graphOf, type DrawnNode, type Lane } from '../../report/upgrade-graph.ts';
import { subscriptionPath, withQuery } from './links.ts';
import type { Cut, GraphLane, GraphNode, NodeMark } from './models.ts';
import { line, nameOf } from './text.ts';

/** More cannot be read on a page; those that matter to the Subscription are always among them. */
export const GRAPH_LIMITS = { lanes: 20, nodes: 120, edges: 600 } as const;

export interface Lanes {
  readonly lanes: readonly GraphLane[];
  readonly cut?: Cut;
}

/** The followed channels first. @param opened Version or bundle that is shown in any case */
export function lanesOf(subscription: Subscription, content: CatalogPackage, opened: string | undefined): Lanes {
  const { lanes } = graphOf(content);
  const wanted = subscription.spec.channel ?? content.defaultChannel;
  const isFollowed = ({ channel }: Lane): boolean => wanted === '*' || channel === wanted;
  const sorted = lanes.toSorted((one, other) => Number(isFollowed(other)) - Number(isFollowed(one)));
  const omitted = sorted.length - GRAPH_LIMITS.lanes;
  return {
    lanes: sorted
      .slice(0, GRAPH_LIMITS.lanes)
      .map((lane) => laneOf(lane, { subscription, isFollowed: isFollowed(lane), opened })),
    ...(omitted > 0 && { cut: { omitted, message: `${count(omitted, 'further channel')} left out` } }),
  };
}

interface LaneTerms {
  readonly subscription: Subscription;
  readonly isFollowed: boolean;
  readonly opened: string | undefined;
}

function laneOf(lane: Lane, { subscription, isFollowed, opened }: LaneTerms): GraphLane {
  const { status = {}, metadata } = subscription;
  const nodes = keptNodes(lane.nodes, status, opened);
  const kept = new Set(nodes.map(({ node }) => node.bundle));
  const omitted = lane.nodes.length - nodes.length;
  const versions = new Map(lane.nodes.map(({ bundle, version }) => [bundle, version]));
  const steps = stepsOf(status);
  return {
    channel: nameOf(lane.channel),
    isDefault: lane.isDefault,
    isFollowed,
    ...(lane.deprecation !== undefined && { deprecation: line(lane.deprecation) }),
    nodes: nodes.map(({ node, marks }) => nodeRow(node, marks, withQuery(subscriptionPath(metadata, 'graph'), { version: node.version || node.bundle }))), // prettier-ignore
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
  const { installed, available, pending, path = [], refused = [], quarantined = [] } = status;
  const own: readonly (NodeMark | false)[] = [
    installed?.bundle === bundle && 'installed',
    available?.bundle === bundle && available.bundle !== installed?.bundle && 'available',
    path.includes(version) && available?.bundle !== bundle && 'path',
    pending?.bundle === bundle && 'pending',
    quarantined.some((one) => one.bundle === bundle) && 'quarantined',
    refused.some((one) => one.version === version) && 'refused',
  ];
  return [...own.filter((mark) => mark !== false), ...marks];
}

/** The pairs of versions that follow each other on the path. */
function stepsOf({ installed, path = [] }: SubscriptionStatus): ReadonlySet<string> {
  const versions = installed === undefined || path[0] === installed.version ? path : [installed.version, ...path];
  return new Set(versions.slice(1).map((to, at) => `${versions[at]} ${to}`));
}
