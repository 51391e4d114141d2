/** Writes an upgrade graph as a Mermaid flowchart, which many sites draw in Markdown. Pure. */
import { cleanLine } from '../../../../report/clean.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode, Lane } from '../../../../report/upgrade-graph.ts';
import { laneTitle } from './text.ts';

/** By the kind of the edge. */
const ARROWS: Readonly<Record<DrawnEdge['kind'], string>> = { replaces: '-->', skips: '-.->', skipRange: '-.->' };
const CLASSES = [
  'classDef head stroke-width:3px',
  'classDef deprecated stroke-dasharray:6 3',
  'classDef skipped opacity:0.6',
  'classDef stranded stroke:#c00,stroke-width:3px',
  'classDef missing stroke-dasharray:2 2,opacity:0.6',
];

export function drawMermaid({ lanes }: DrawnGraph): string {
  const lines = ['flowchart LR', ...lanes.flatMap(drawLane), ...CLASSES.map((line) => `  ${line}`)];
  return lines.map((line) => `${line}\n`).join('');
}

/** Versions have numbers for names, as a name from a catalog could be a word of the language. */
function drawLane(lane: Lane, at: number): readonly string[] {
  const { nodes, edges } = lane;
  const ids = new Map(nodes.map(({ bundle }, row) => [bundle, `c${at}v${row}`]));
  return [
    `  subgraph c${at}["${escape(laneTitle(lane))}"]`,
    '    direction LR',
    ...nodes.toReversed().map((node) => `    ${ids.get(node.bundle)}["${labelOf(node)}"]${classesOf(node)}`),
    ...edges.map(({ from, to, kind }) => `    ${ids.get(from)} ${ARROWS[kind]}|${kind}| ${ids.get(to)}`),
    '  end',
  ];
}

function labelOf({ bundle, marks, skipRange }: DrawnNode): string {
  const range = skipRange === undefined ? [] : [`skipRange ${skipRange}`];
  return [bundle, marks.join(', '), ...range]
    .filter((line) => line !== '')
    .map(escape)
    .join('<br/>');
}

function classesOf({ marks }: DrawnNode): string {
  return marks.length === 0 ? '' : `:::${marks.at(-1)}`;
}

/** Every character that could mean something to Mermaid, Markdown or HTML as its number. */
function escape(text: string): string {
  return cleanLine(text).replaceAll(/[^\p{L}\p{N} .,:+_-]/gu, (character) => `#${character.codePointAt(0)};`);
}
