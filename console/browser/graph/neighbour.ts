/** The version that an arrow key leads to. Pure. */
import type { PlacedGraph, PlacedNode } from './layout.ts';

const STEPS: Readonly<Record<string, readonly [lanes: number, versions: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/** A version in its lane. */
export interface Place {
  readonly lane: number;
  readonly node: number;
}

/** Left and right: the next one in the lane. Up and down: the nearest one in the next lane. Else undefined. */
export function neighbourOf({ lanes }: PlacedGraph, { lane, node }: Place, key: string): Place | undefined {
  const step = STEPS[key];
  const from = lanes[lane]?.nodes[node];
  if (step === undefined || from === undefined) return undefined;
  const [down, right] = step;
  if (down === 0) return lanes[lane]?.nodes[node + right] === undefined ? undefined : { lane, node: node + right };
  for (let next = lane + down; lanes[next] !== undefined; next += down) {
    const nearest = nearestTo(from.x, lanes[next]!.nodes);
    if (nearest >= 0) return { lane: next, node: nearest };
  }
  return undefined;
}

function nearestTo(x: number, nodes: readonly PlacedNode[]): number {
  const distances = nodes.map((node) => Math.abs(node.x - x));
  return distances.indexOf(Math.min(...distances));
}
