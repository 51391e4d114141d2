/**
 * The places of an upgrade graph on paper: channels are lanes one below the other, and a bundle that several channels
 * have stands in the same column of each. Pure, and the same graph always gets the same places.
 */
import { cleanLine } from '../../../../report/clean.ts';
import { visibleLength } from '../../output/layout.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode, Lane } from '../../../../report/upgrade-graph.ts';

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly lanes: readonly PlacedLane[];
}

export interface PlacedLane {
  readonly lane: Lane;
  /** The upper edge of the lane. */
  readonly top: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export interface PlacedNode {
  readonly node: DrawnNode;
  readonly x: number;
  readonly y: number;
  /** The words below it. */
  readonly label: string;
}

export interface PlacedEdge extends DrawnEdge {
  readonly start: readonly [x: number, y: number];
  readonly end: readonly [x: number, y: number];
  /** Height of the bow: above the lane's line if negative, below it if positive, a straight line if 0. */
  readonly bow: number;
}

export const RADIUS = 7;
const MARGIN = 24;
const TITLE_HEIGHT = 28;
const LABEL_HEIGHT = 34;
const LETTER_WIDTH = 7;
const LEAST_COLUMN = 72;
const MOST_COLUMN = 240;
/** Further than this bow no edge goes, however many versions it passes. */
const MOST_BOW = 90;
const BOW_STEP = 14;

export function placeGraph({ lanes }: DrawnGraph): Picture {
  const columns = columnsOf(lanes);
  const longest = Math.max(0, ...lanes.flatMap(({ nodes }) => nodes.map((node) => visibleLength(labelOf(node)))));
  const step = Math.min(MOST_COLUMN, Math.max(LEAST_COLUMN, longest * LETTER_WIDTH + MARGIN));
  const placed: PlacedLane[] = [];
  let top = MARGIN;
  for (const lane of lanes) {
    const next = placeLane(lane, { columns, step, top });
    placed.push(next);
    top += next.height + MARGIN;
  }
  const titles = lanes.map(({ channel }) => visibleLength(cleanLine(channel)) * LETTER_WIDTH + 4 * MARGIN);
  return { width: Math.max(2 * MARGIN + columns.size * step, ...titles), height: top, lanes: placed };
}

/** The column of each bundle: by its position in all lanes together, the lowest version first. */
function columnsOf(lanes: readonly Lane[]): ReadonlyMap<string, number> {
  const order: string[] = [];
  for (const { nodes } of lanes)
    merge(
      order,
      nodes.toReversed().map(({ bundle }) => bundle),
    );
  return new Map(order.map((name, column) => [name, column]));
}

/** Adds names to an order, each before the next one of its own list that the order has already. */
function merge(order: string[], names: readonly string[]): void {
  let waiting: string[] = [];
  for (const name of names) {
    const at = order.indexOf(name);
    if (at < 0) {
      waiting.push(name);
      continue;
    }
    order.splice(at, 0, ...waiting);
    waiting = [];
  }
  order.push(...waiting);
}

interface LaneFrame {
  readonly columns: ReadonlyMap<string, number>;
  readonly step: number;
  readonly top: number;
}

function placeLane(lane: Lane, { columns, step, top }: LaneFrame): PlacedLane {
  const ordered = lane.nodes.toReversed();
  const places = new Map(ordered.map(({ bundle }, index) => [bundle, index]));
  const bows = lane.edges.map((edge) => bowOf(edge, places));
  const above = -Math.min(0, ...bows);
  const below = Math.max(0, ...bows);
  const y = top + TITLE_HEIGHT + above + RADIUS;
  const xOf = (bundle: string): number => MARGIN + ((columns.get(bundle) ?? 0) + 0.5) * step;
  return {
    lane,
    top,
    height: y - top + RADIUS + below + LABEL_HEIGHT,
    nodes: ordered.map((node) => ({ node, x: xOf(node.bundle), y, label: labelOf(node) })),
    edges: lane.edges.map((edge, at) => ({
      ...edge,
      start: [xOf(edge.from), y],
      end: [xOf(edge.to), y],
      bow: bows[at] ?? 0,
    })),
  };
}

/** Neighbours are joined by a straight line; replaces go above the line, everything else below it. */
function bowOf({ from, to, kind }: DrawnEdge, places: ReadonlyMap<string, number>): number {
  const distance = Math.abs((places.get(to) ?? 0) - (places.get(from) ?? 0));
  if (kind === 'replaces') return distance === 1 ? 0 : -Math.min(MOST_BOW, distance * BOW_STEP);
  return Math.min(MOST_BOW, 6 + distance * BOW_STEP);
}

function labelOf({ bundle, version }: DrawnNode): string {
  return cleanLine(version === '' ? bundle : version);
}
