/** Draws an upgrade graph as text: a lane for each channel, the newest version on top. Pure; every text is cleaned. */
import { nameSome } from '../../../../api/name-some.ts';
import { cleanLine } from '../../../../report/clean.ts';
import { cutLine, visibleLength } from '../../output/layout.ts';
import { count } from '../../../../report/count.ts';
import {
  MARKS,
  type DrawnEdge,
  type DrawnGraph,
  type DrawnNode,
  type Lane,
  type GraphMark,
} from '../../../../report/upgrade-graph.ts';
import { layRails } from './rails.ts';

/** By the first mark that a version has; the order decides. */
const SYMBOLS: readonly (readonly [GraphMark, string])[] = [
  ['missing', '·'],
  ['stranded', '✗'],
  ['head', '●'],
  ['skipped', '◌'],
];
const PLAIN = '○';
/** Longest list of versions beside one version. */
const MOST_NAMED = 6;

/** On a terminal lines are cut to its width; in a pipe every line is whole. */
export function drawText(graph: DrawnGraph, columns: number = Infinity): string {
  const lines = [
    titleOf(graph),
    ...graph.lanes.flatMap((lane) => ['', laneTitle(lane), ...drawLane(lane)]),
    ...(graph.lanes.length === 0 ? [] : ['', `Upgrades lead upwards: ${legendOf(graph)}`]),
  ];
  return lines.map((line) => `${cutLine(line.trimEnd(), columns)}\n`).join('');
}

function titleOf({ package: name, deprecation }: DrawnGraph): string {
  return cleanLine(`Package ${name}${deprecation === undefined ? '' : ` (deprecated: ${deprecation})`}`);
}

/** The words above a lane. */
export function laneTitle({ channel, isDefault, deprecation }: Lane): string {
  const marks = [
    ...(isDefault ? ['default'] : []),
    ...(deprecation === undefined ? [] : [`deprecated: ${deprecation}`]),
  ];
  return cleanLine(`${channel}${marks.length === 0 ? '' : ` (${marks.join('; ')})`}`);
}

function drawLane({ nodes, edges }: Lane): readonly string[] {
  const rows = new Map(nodes.map(({ bundle }, row) => [bundle, row]));
  const byTarget = Map.groupBy(edges, ({ to }) => to);
  const joints = nodes.map(({ bundle }, row) => ({
    row,
    from: (byTarget.get(bundle) ?? []).flatMap(({ from }) => rows.get(from) ?? []),
  }));
  const rails = layRails(nodes.length, joints);
  const width = Math.max(0, ...nodes.map(({ bundle }) => visibleLength(cleanLine(bundle))));
  const lines = nodes.flatMap((node, row) => {
    const details = describeEdges(node, byTarget.get(node.bundle) ?? []);
    const below = rails.between[row] ?? '';
    return [
      `  ${symbolOf(node)}${rails.rows[row]}  ${describeNode(node, width)}`,
      ...(details === '' && below.trim() === '' ? [] : [`  ${below}  ${details}`]),
    ];
  });
  return rails.omitted === 0
    ? lines
    : [...lines, `  ${count(rails.omitted, 'rail')} more would not fit and are not drawn`];
}

function symbolOf({ marks }: DrawnNode): string {
  return SYMBOLS.find(([mark]) => marks.includes(mark))?.[1] ?? PLAIN;
}

function describeNode({ bundle, version, marks, deprecation }: DrawnNode, width: number): string {
  const name = cleanLine(bundle);
  const words = marks.map((mark) => (mark === 'deprecated' ? `deprecated: ${deprecation ?? ''}` : mark)).join(', ');
  return `${name}${' '.repeat(Math.max(0, width - visibleLength(name)))}  ${cleanLine(version)}  ${cleanLine(words)}`;
}

function describeEdges({ skipRange }: DrawnNode, edges: readonly DrawnEdge[]): string {
  const named = (kind: DrawnEdge['kind']): readonly string[] =>
    edges.filter((edge) => edge.kind === kind).map(({ from }) => from);
  const parts = [
    ...named('replaces').map((name) => `replaces ${name}`),
    ...(named('skips').length === 0 ? [] : [`skips ${shortened(named('skips'))}`]),
    ...(skipRange === undefined ? [] : [`skipRange ${skipRange}`]),
  ];
  return cleanLine(parts.join('; '));
}

function shortened(names: readonly string[]): string {
  return nameSome(names, MOST_NAMED);
}

/** The symbols that occur. */
function legendOf({ lanes }: DrawnGraph): string {
  const nodes = lanes.flatMap((lane) => lane.nodes);
  const used = new Set(nodes.map(symbolOf));
  return [
    ...(used.has(PLAIN) ? [`${PLAIN} version`] : []),
    ...SYMBOLS.filter(([, symbol]) => used.has(symbol)).map(([mark, symbol]) => `${symbol} ${MARKS[mark]}`),
  ].join(', ');
}
