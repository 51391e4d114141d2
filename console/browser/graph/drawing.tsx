/** The upgrade graph as SVG: each version is a link; the arrow keys go from one to the next. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { useEffect, useRef } from 'preact/hooks';
import type { GraphModel, NodeMark, Tone } from '../../data/models.ts';
import { labelOf } from './label.ts';
import type { PlacedGraph, PlacedLane, PlacedNode } from './layout.ts';
import { neighbourOf, type Place } from './neighbour.ts';

interface DrawingProps {
  readonly placed: PlacedGraph;
  readonly model: GraphModel;
}

/** The marks that say most about a version; the first one that it has is written below it. */
const ORDER: readonly NodeMark[] = ['installed', 'pending', 'quarantined', 'refused', 'available', 'path'];

export function Drawing({ placed, model }: DrawingProps) {
  const focused = useSignal(startOf(placed, model));
  const frame = useRef<HTMLDivElement>(null);
  const { route } = useLocation();

  useEffect(() => {
    const { lane, node } = startOf(placed, model);
    const start = placed.lanes[lane]?.nodes[node];
    if (start !== undefined && frame.current !== null)
      frame.current.scrollLeft = start.x - frame.current.clientWidth / 2;
  }, [model.namespace, model.name]);

  function press(event: KeyboardEvent): void {
    const next = neighbourOf(placed, focused.value, event.key);
    if (next === undefined) return;
    event.preventDefault();
    focused.value = next;
    frame.current?.querySelector<SVGAElement>(`[data-place="${next.lane}-${next.node}"]`)?.focus();
  }

  return (
    <div class="graph" ref={frame}>
      <svg
        role="group"
        aria-label="Upgrade graph. Arrow keys go from version to version. The same is in a list below."
        width={placed.width}
        height={placed.height}
        onKeyDown={press}
      >
        <Arrowheads />
        {placed.lanes.map((lane, index) => (
          <Lane key={lane.lane.channel} lane={lane}>
            {lane.nodes.map((one, position) => (
              <Version
                key={one.node.bundle}
                one={one}
                place={{ lane: index, node: position }}
                isFocused={focused.value.lane === index && focused.value.node === position}
                isOpened={model.opened !== undefined && one.node.version === model.opened.version}
                model={model}
                open={(place) => {
                  focused.value = place;
                  route(one.node.href);
                }}
              />
            ))}
          </Lane>
        ))}
      </svg>
    </div>
  );
}

/** The place that the keyboard enters at: the opened version, or the installed one, or the first. */
function startOf({ lanes }: PlacedGraph, { opened, installed }: GraphModel): Place {
  for (const wanted of [opened?.version, installed]) {
    for (const [lane, { nodes }] of lanes.entries()) {
      const node = wanted === undefined ? -1 : nodes.findIndex((one) => one.node.version === wanted);
      if (node >= 0) return { lane, node };
    }
  }
  return {
    lane: Math.max(
      0,
      lanes.findIndex(({ nodes }) => nodes.length > 0),
    ),
    node: 0,
  };
}

function Arrowheads() {
  return (
    <defs>
      {['edge', 'edge-path'].map((id) => (
        <marker
          key={id}
          id={id}
          class={id}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0.8 7.5 4 0 7.2z" />
        </marker>
      ))}
    </defs>
  );
}

interface LaneProps {
  readonly lane: PlacedLane;
  readonly children: preact.ComponentChildren;
}

function Lane({ lane: { lane, top, height, edges }, children }: LaneProps) {
  const words = [
    lane.isFollowed && 'followed',
    lane.isDefault && 'default',
    lane.deprecation !== undefined && 'deprecated',
  ];
  const about = words.filter((word) => word !== false).join(', ');
  return (
    <g role="group" aria-label={`Channel ${lane.channel}${about === '' ? '' : ` (${about})`}`}>
      <rect
        class={lane.isFollowed ? 'lane lane-followed' : 'lane'}
        x="0.5"
        y={top + 0.5}
        width="100%"
        height={height - 1}
        rx="10"
      />
      <text class="lane-title" x="16" y={top + 24}>
        {lane.channel}
        {about !== '' && (
          <tspan class="lane-about" dx="8">
            {about}
          </tspan>
        )}
      </text>
      {edges.map(({ edge, path }, index) => (
        <path
          key={index}
          class={`edge edge-${edge.kind}${edge.onPath ? ' edge-on-path' : ''}`}
          d={path}
          marker-end={edge.onPath ? 'url(#edge-path)' : 'url(#edge)'}
        />
      ))}
      {children}
    </g>
  );
}

interface VersionProps {
  readonly one: PlacedNode;
  readonly place: Place;
  readonly isFocused: boolean;
  readonly isOpened: boolean;
  readonly model: GraphModel;
  readonly open: (place: Place) => void;
}

function Version({ one: { node, x, y, width, height }, place, isFocused, isOpened, model, open }: VersionProps) {
  const { tone, word } = mainMark(node.marks, model);
  // begins as the text that is seen, so that a person can say it
  const others = node.marks.map((mark) => wordsOf(mark, model)).filter((other) => other !== word);
  function click(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(place);
  }
  return (
    <a
      href={node.href}
      class={`node tone-${tone}${isOpened ? ' node-opened' : ''}${node.marks.includes('deprecated') ? ' node-deprecated' : ''}`}
      tabindex={isFocused ? 0 : -1}
      data-place={`${place.lane}-${place.node}`}
      aria-label={[labelOf(node), word, ...others].filter((part) => part !== undefined).join(' ')}
      {...(isOpened && { 'aria-current': 'true' as const })}
      onClick={click}
    >
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx="9" />
      <text class="node-version" x={x} y={word === undefined ? y + 5 : y - 2}>
        {labelOf(node)}
      </text>{' '}
      {word !== undefined && (
        <text class="node-word" x={x} y={y + 14}>
          {word}
        </text>
      )}
    </a>
  );
}

function wordsOf(mark: NodeMark, { legend }: GraphModel): string {
  return legend.find((one) => one.mark === mark)?.badge.word.toLowerCase() ?? mark;
}

function mainMark(marks: readonly NodeMark[], model: GraphModel): { readonly tone: Tone; readonly word?: string } {
  const mark = ORDER.find((one) => marks.includes(one)) ?? marks[0];
  if (mark === undefined) return { tone: 'off' };
  return { tone: model.legend.find((one) => one.mark === mark)?.badge.tone ?? 'off', word: wordsOf(mark, model) };
}
