/**
 * Places the versions of an upgrade graph: each channel is a lane from left to right, the lanes one below the other.
 * Pure. It brings the layout library with it, so the view loads it when it is first needed.
 */
import { Graph, layout } from '@dagrejs/dagre';
import type { GraphEdge, GraphLane, GraphNode } from '../../data/models.ts';
import { labelOf } from './label.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A version with the middle of its box. */
export interface PlacedNode extends Point {
  readonly node: GraphNode;
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** The commands of an SVG path. */
  readonly path: string;
}

export interface PlacedLane {
  readonly lane: GraphLane;
  readonly top: number;
  readonly height: number;
  /** From left to right. */
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly lanes: readonly PlacedLane[];
}

const NODE_HEIGHT = 46;
const [CHARACTER, PADDING, NARROWEST] = [8, 28, 96];
const [TITLE, MARGIN, GAP] = [34, 16, 14];

/** The whole graph; edges whose versions are not in their lane are left out. */
export function placeGraph(lanes: readonly GraphLane[]): PlacedGraph {
  const placed: PlacedLane[] = [];
  let [top, width] = [0, 0];
  for (const lane of lanes) {
    const one = placeLane(lane, top);
    placed.push(one.lane);
    top += one.lane.height + GAP;
    width = Math.max(width, one.width);
  }
  return { width, height: Math.max(0, top - GAP), lanes: placed };
}

function placeLane(lane: GraphLane, top: number): { readonly lane: PlacedLane; readonly width: number } {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 60, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  // the lowest first, which is where a way begins
  for (const node of lane.nodes.toReversed()) graph.setNode(node.bundle, { width: widthOf(node), height: NODE_HEIGHT });
  const edges = lane.edges.filter(({ from, to }) => graph.hasNode(from) && graph.hasNode(to));
  for (const [index, { from, to, kind }] of edges.entries())
    graph.setEdge(from, to, { weight: kind === 'replaces' ? 4 : 1 }, String(index));
  layout(graph);
  // the layout of nothing has no size
  const { width = 0, height = 0 } = lane.nodes.length === 0 ? { height: 2 * MARGIN } : graph.graph();
  const shift = (point: Point): Point => ({ x: point.x, y: point.y + top + TITLE });
  const nodes = lane.nodes.map((node) => {
    const { x, y, width: own, height: high } = graph.node(node.bundle) as PlacedNode;
    return { node, width: own, height: high, ...shift({ x, y }) };
  });
  return {
    width,
    lane: {
      lane,
      top,
      height: height + TITLE,
      nodes: nodes.toSorted((one, other) => one.x - other.x || one.y - other.y),
      edges: edges.map((edge, index) => {
        const { points = [] } = graph.edge(edge.from, edge.to, String(index)) as { readonly points?: readonly Point[] };
        return { edge, path: pathOf(points.map(shift)) };
      }),
    },
  };
}

function widthOf({ version, bundle }: GraphNode): number {
  return Math.max(NARROWEST, labelOf({ version, bundle }).length * CHARACTER + PADDING);
}

/** A line through the points, with round corners. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (first === undefined || last === undefined) return '';
  const curves = rest.map((point, index) => {
    const next = rest[index + 1] ?? last;
    const middle = index === rest.length - 1 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${at(point)} ${at(middle)}`;
  });
  return [`M${at(first)}`, ...(curves.length > 0 ? curves : [`L${at(last)}`])].join(' ');
}

function at({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}
