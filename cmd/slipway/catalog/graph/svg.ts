/** Draws an upgrade graph as SVG, without scripts and without references to anything outside. Pure. */
import { cleanLine } from '../../../../report/clean.ts';
import { cutLine } from '../../output/layout.ts';
import type { DrawnGraph, DrawnNode } from '../../../../report/upgrade-graph.ts';
import { placeGraph, RADIUS, type PlacedEdge, type PlacedLane, type PlacedNode } from './places.ts';
import { laneTitle } from './text.ts';

const LONGEST_LABEL = 32;

const STYLE = `
  svg { background: #fff; color: #1b1f24; font: 12px ui-sans-serif, system-ui, sans-serif; }
  .lane { fill: #f4f6f8; }
  .title { font-weight: 600; }
  .edge { fill: none; stroke: #57606a; stroke-width: 1.5; marker-end: url(#arrow); }
  .skips { stroke-dasharray: 6 3; }
  .skipRange { stroke-dasharray: 2 3; }
  .node { fill: #fff; stroke: #1b1f24; stroke-width: 1.5; }
  .head { fill: #1b1f24; }
  .deprecated { stroke-dasharray: 3 2; }
  .skipped { stroke: #9aa4ae; }
  .stranded { stroke: #c00; stroke-width: 3; }
  .missing { stroke: #9aa4ae; stroke-dasharray: 1 2; }
  .note { fill: #57606a; font-size: 10px; }
  text { fill: #1b1f24; }
`;

export function drawSvg(graph: DrawnGraph): string {
  const { width, height, lanes } = placeGraph(graph);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escape(`Upgrade graph of ${graph.package}`)}</title>`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>',
    ...lanes.flatMap((lane) => drawLane(lane, width)),
    '</svg>',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function drawLane({ lane, top, height, nodes, edges }: PlacedLane, width: number): readonly string[] {
  return [
    `<rect class="lane" x="8" y="${top}" width="${width - 16}" height="${height}" rx="8"/>`,
    `<text class="title" x="20" y="${top + 20}">${escape(laneTitle(lane))}</text>`,
    ...edges.map(drawEdge),
    ...nodes.map(drawNode),
  ];
}

function drawEdge({ from, to, kind, start, end, bow }: PlacedEdge): string {
  const side = Math.sign(end[0] - start[0]) * RADIUS;
  const [x1, y1, x2, y2] =
    bow === 0
      ? [start[0] + side, start[1], end[0] - side, end[1]]
      : [start[0], start[1] + Math.sign(bow) * RADIUS, end[0], end[1] + Math.sign(bow) * RADIUS];
  const reach = (4 / 3) * bow;
  const path = bow === 0 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}C${x1} ${y1 + reach} ${x2} ${y2 + reach} ${x2} ${y2}`;
  return `<path class="edge ${kind}" d="${path}"><title>${escape(`${to} ${kind} ${from}`)}</title></path>`;
}

function drawNode({ node, x, y, label }: PlacedNode): string {
  const note = node.marks.join(', ');
  return [
    `<circle class="${['node', ...node.marks].join(' ')}" cx="${x}" cy="${y}" r="${RADIUS}"><title>${escape(tipOf(node))}</title></circle>`,
    `<text x="${x}" y="${y + 24}" text-anchor="middle">${escape(cutLine(label, LONGEST_LABEL))}</text>`,
    ...(note === '' ? [] : [`<text class="note" x="${x}" y="${y + 36}" text-anchor="middle">${escape(note)}</text>`]),
  ].join('');
}

function tipOf({ bundle, marks, deprecation, skipRange }: DrawnNode): string {
  return [
    bundle,
    ...(marks.length === 0 ? [] : [marks.join(', ')]),
    ...(deprecation === undefined ? [] : [deprecation]),
    ...(skipRange === undefined ? [] : [`skipRange ${skipRange}`]),
  ].join('; ');
}

function escape(text: string): string {
  return cleanLine(text).replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
