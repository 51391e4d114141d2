/** The upgrade graph: installed, available, the path between them, and why a version is not installed. */
import { useEffect, useMemo } from 'preact/hooks';
import type { GraphLane, GraphModel, WhyNot } from '../../data/models.ts';
import { Drawing } from '../graph/drawing.tsx';
import { Acts } from '../parts/acts.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Copyable } from '../parts/copy.tsx';
import { CutNote, EmptyState } from '../parts/lists.tsx';
import { useLatePart } from '../parts/late-part.ts';
import { Section } from '../parts/section.tsx';
import { SubscriptionTabs } from '../parts/tabs.tsx';
import { VersionStep } from '../parts/version.tsx';
import { announce } from '../shell/announce.tsx';

export function GraphView({ model }: { readonly model: GraphModel }) {
  const { message, installed, available, deprecation, lanes, lanesCut, path, opened, empty } = model;
  return (
    <>
      <SubscriptionTabs namespace={model.namespace} name={model.name} links={model.links} />
      {empty !== undefined && <EmptyState empty={empty} />}
      <div class="graph-head">
        <VersionStep installed={installed} available={available} />
        <p>{message}</p>
        {deprecation !== undefined && <p class="muted">Deprecated: {deprecation}</p>}
      </div>
      {lanes.length > 0 && (
        <Section title="Channels" note={model.catalog === undefined ? undefined : `catalog ${model.catalog}`}>
          <Placed model={model} />
          <Legend model={model} />
          <CutNote cut={lanesCut} />
        </Section>
      )}
      {opened !== undefined && <Opened opened={opened} said={message} />}
      {path.length > 0 && (
        <Section title="Path" note={path.length === 1 ? '1 step' : `${path.length} steps`}>
          <ol class="path">
            {path.map((row) => (
              <li key={row.version}>
                <span class="version">{row.version}</span> {row.message}
              </li>
            ))}
          </ol>
        </Section>
      )}
      {lanes.length > 0 && <AsList lanes={lanes} model={model} />}
    </>
  );
}

/** Draws once the layout has been loaded; the list below needs none. */
function Placed({ model }: { readonly model: GraphModel }) {
  const { part: layout, isMissing } = useLatePart(() => import('../graph/layout.ts'));
  const lanes = JSON.stringify(model.lanes.map(({ channel, nodes, edges }) => [channel, nodes.length, edges.length]));
  const placed = useMemo(() => layout?.placeGraph(model.lanes), [layout, lanes, model.lanes]);
  if (isMissing) return <p class="muted">The drawing could not be loaded. Reload the page, or read the list below.</p>;
  if (placed === undefined) return <div class="graph graph-loading" aria-busy="true" />;
  return <Drawing placed={placed} model={model} />;
}

function Legend({ model: { legend } }: { readonly model: GraphModel }) {
  return (
    <ul class="legend" aria-label="Marks">
      {legend.map(({ mark, words, badge }) => (
        <li key={mark}>
          <StateBadge badge={badge} />
          <span class="muted">{words}</span>
        </li>
      ))}
    </ul>
  );
}

interface OpenedProps {
  readonly opened: WhyNot;
  /** The sentence that the page has already. */
  readonly said: string;
}

function Opened({ opened, said }: OpenedProps) {
  const { version, standing, summary, causes, remedies, decision, command, buttons } = opened;
  useEffect(() => announce(summary, { isSpoken: true }), [version]);
  return (
    <Section title={summary} note={standing}>
      {decision !== undefined && decision !== said && <p>{decision}</p>}
      {causes.length > 0 && (
        <>
          <h3>Why</h3>
          <ul>
            {causes.map((cause) => (
              <li key={cause}>{cause}</li>
            ))}
          </ul>
        </>
      )}
      {remedies.length > 0 && (
        <>
          <h3>Each of these is enough</h3>
          <ul class="remedies">
            {remedies.map((remedy) => (
              <li key={remedy}>{remedy}</li>
            ))}
          </ul>
        </>
      )}
      <Acts buttons={buttons} />
      <Copyable text={command} what="the command that prints the same" />
    </Section>
  );
}

interface AsListProps {
  readonly lanes: readonly GraphLane[];
  readonly model: GraphModel;
}

function AsList({ lanes, model: { legend } }: AsListProps) {
  const badgeOf = new Map(legend.map(({ mark, badge }) => [mark, badge]));
  return (
    <Section title="Versions as a list">
      {lanes.map((lane) => (
        <details key={lane.channel} open={lane.isFollowed && lanes.length < 3}>
          <summary>
            {lane.channel}
            {lane.isFollowed && ' (followed)'}:{' '}
            {lane.nodes.length === 1 ? '1 version' : `${lane.nodes.length} versions`}
          </summary>
          {lane.deprecation !== undefined && <p class="muted">Deprecated: {lane.deprecation}</p>}
          <ul class="versions">
            {lane.nodes.map((node) => (
              <li key={node.bundle}>
                <a class="version" href={node.href}>
                  {node.version === '' ? node.bundle : node.version}
                </a>
                {node.marks.map((mark) => (
                  <StateBadge key={mark} badge={badgeOf.get(mark) ?? { word: mark, tone: 'off' }} />
                ))}
                {node.skipRange !== undefined && <span class="muted">upgrades {node.skipRange}</span>}
                {node.deprecation !== undefined && <span class="muted">{node.deprecation}</span>}
              </li>
            ))}
          </ul>
          <CutNote cut={lane.cut} />
        </details>
      ))}
    </Section>
  );
}
