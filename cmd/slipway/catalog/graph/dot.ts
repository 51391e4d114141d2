/** Writes an upgrade graph in DOT, the language of Graphviz. Pure. */
import { cleanLine } from '../../../../report/clean.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode, Lane, GraphMark } from '../../../../report/upgrade-graph.ts';
import { laneTitle } from './text.ts';

const EDGE_STYLES: Readonly<Record<DrawnEdge['kind'], string>> = {
  replaces: 'solid',
  skips: 'dashed',
  skipRange: 'dotted',
};
const NODE_STYLES: Readonly<Record<GraphMark, string>> = {
  head: 'penwidth=3',
  deprecated: 'style="rounded,dashed"',
  skipped: 'fontcolor=gray40, color=gray60',
  stranded: 'color=red, penwidth=3',
  missing: 'style="rounded,dotted", fontcolor=gray40',
};

export function drawDot({ package: name, lanes }: DrawnGraph): string {
  const lines = [
    `digraph ${quote(name)} {`,
    '  rankdir=LR;',
    '  node [shape=box, style=rounded];',
    ...lanes.flatMap(drawLane),
    '}',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function drawLane(lane: Lane, at: number): readonly string[] {
  const id = (bundle: string): string => quote(`${at}/${bundle}`);
  return [
    `  subgraph cluster_${at} {`,
    `    label=${quote(laneTitle(lane))};`,
    ...lane.nodes.toReversed().map((node) => `    ${id(node.bundle)} [${attributesOf(node)}];`),
    ...lane.edges.map(
      ({ from, to, kind }) => `    ${id(from)} -> ${id(to)} [style=${EDGE_STYLES[kind]}, tooltip=${quote(kind)}];`,
    ),
    '  }',
  ];
}

function attributesOf({ bundle, marks, deprecation, skipRange }: DrawnNode): string {
  const lines = [bundle, marks.join(', '), ...(skipRange === undefined ? [] : [`skipRange ${skipRange}`])];
  const label = lines
    .filter((line) => line !== '')
    .map(escape)
    .join('\\n');
  const styles = new Map(
    marks.flatMap((mark) => NODE_STYLES[mark].split(/, (?=\w+=)/)).map((one) => [one.split('=', 1)[0], one]),
  );
  return [`label="${label}"`, `tooltip=${quote(deprecation ?? bundle)}`, ...styles.values()].join(', ');
}

/** A quoted name, in which nothing ends the quotes and no escape is read. */
function quote(text: string): string {
  return `"${escape(text)}"`;
}

function escape(text: string): string {
  return cleanLine(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}
