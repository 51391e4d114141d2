import { describe, expect, test } from 'vitest';
import { graphModel } from '../testing/models/decisions.ts';
import { labelOf } from './label.ts';
import { pathOf, placeGraph } from './layout.ts';
import { neighbourOf } from './neighbour.ts';

const placed = placeGraph(graphModel.lanes);

describe('the layout of an upgrade graph', () => {
  test('each channel is a lane, in the order of the model and without overlap', () => {
    expect(placed.lanes.map(({ lane }) => lane.channel)).toEqual(['stable', 'candidate']);
    for (const [index, { top, height }] of placed.lanes.entries())
      expect(placed.lanes[index + 1]?.top ?? placed.height).toBeGreaterThanOrEqual(top + height);
  });

  test('each version has a box in its lane, and no two boxes of a lane touch', () => {
    for (const { top, height, nodes, lane } of placed.lanes) {
      expect(nodes).toHaveLength(lane.nodes.length);
      for (const one of nodes) {
        expect(one.y - one.height / 2).toBeGreaterThan(top);
        expect(one.y + one.height / 2).toBeLessThan(top + height);
        expect(one.x + one.width / 2).toBeLessThanOrEqual(placed.width);
        for (const other of nodes) {
          const isApart =
            Math.abs(one.x - other.x) >= (one.width + other.width) / 2 ||
            Math.abs(one.y - other.y) >= (one.height + other.height) / 2;
          expect(one === other || isApart, `${one.node.version} and ${other.node.version}`).toBe(true);
        }
      }
    }
  });

  test('upgrades lead from left to right', () => {
    for (const { lane, nodes } of placed.lanes) {
      const places = new Map(nodes.map(({ node, x }) => [node.bundle, x]));
      for (const { from, to } of lane.edges) expect(places.get(from)).toBeLessThan(places.get(to)!);
    }
  });

  test.each([
    { because: 'its version is not in the lane', edge: { from: 'elsewhere', to: 'beacon-operator.v2.0.0' } },
    {
      because: 'it leads to itself in a broken catalog',
      edge: { from: 'beacon-operator.v2.0.0', to: 'beacon-operator.v2.0.0' },
    },
  ])('an edge cannot break the layout: $because', ({ edge }) => {
    const [lane] = graphModel.lanes;
    const edges = [...lane!.edges, { ...edge, kind: 'replaces' as const, onPath: false }];
    expect(placeGraph([{ ...lane!, edges }]).lanes[0]?.nodes).toHaveLength(lane!.nodes.length);
  });

  test('a circle of edges, which broken catalogs have, is drawn', () => {
    const [lane] = graphModel.lanes;
    const edges = [
      { from: 'beacon-operator.v1.0.0', to: 'beacon-operator.v2.0.0', kind: 'replaces' as const, onPath: false },
      { from: 'beacon-operator.v2.0.0', to: 'beacon-operator.v1.0.0', kind: 'replaces' as const, onPath: false },
    ];
    expect(placeGraph([{ ...lane!, edges }]).lanes[0]?.edges.map(({ path }) => path === '')).toEqual([false, false]);
  });

  test('a graph without lanes, and a lane without versions, have a size', () => {
    expect(placeGraph([])).toEqual({ width: 0, height: 0, lanes: [] });
    expect(placeGraph([{ ...graphModel.lanes[0]!, nodes: [], edges: [] }]).height).toBeGreaterThan(0);
  });
});

test.each([
  { points: [], path: '', because: 'there is no line' },
  { points: [{ x: 0, y: 0 }], path: '', because: 'a point is no line' },
  {
    points: [
      { x: 0, y: 0 },
      { x: 10, y: 0.25 },
    ],
    path: 'M0 0 L10 0.3',
    because: 'two points are a straight line',
  },
  {
    points: [
      { x: 0, y: 0 },
      { x: 5, y: 5 },
      { x: 10, y: 0 },
    ],
    path: 'M0 0 Q5 5 10 0',
    because: 'a point between them is a round corner',
  },
])('a line is "$path": $because', ({ points, path }) => {
  expect(pathOf(points)).toBe(path);
});

test.each([
  { version: '1.0.0', bundle: 'a.v1.0.0', label: '1.0.0', because: 'versions are compared' },
  { version: '', bundle: 'a.v1.0.0', label: 'a.v1.0.0', because: 'the catalog lacks the bundle' },
  {
    version: '1.0.0-0.1662466664.p+build-12',
    bundle: '',
    label: '1.0.0-0.1662466664.p+bu…',
    because: 'boxes stay small',
  },
])('a box has the label $label: $because', ({ version, bundle, label }) => {
  expect(labelOf({ version, bundle })).toBe(label);
});

describe('an arrow key', () => {
  const at = (lane: number, version: string): { lane: number; node: number } => ({
    lane,
    node: placed.lanes[lane]!.nodes.findIndex(({ node }) => node.version === version),
  });

  test.each([
    { from: at(0, '2.0.0'), key: 'ArrowRight', to: at(0, '3.0.0'), because: 'the next one is to the right' },
    { from: at(0, '3.0.0'), key: 'ArrowRight', to: undefined, because: 'it is the last one of its lane' },
    { from: at(0, '0.9.0'), key: 'ArrowLeft', to: undefined, because: 'it is the first one of its lane' },
    {
      from: at(0, '0.9.0'),
      key: 'ArrowDown',
      to: at(1, '2.0.0'),
      because: 'the nearest one of the next lane is below',
    },
    { from: at(0, '0.9.0'), key: 'ArrowUp', to: undefined, because: 'there is no lane above' },
    { from: at(0, '0.9.0'), key: 'Enter', to: undefined, because: 'other keys keep their effect' },
  ])('$key leads to $to: $because', ({ from, key, to }) => {
    expect(neighbourOf(placed, from, key)).toEqual(to);
  });
});
