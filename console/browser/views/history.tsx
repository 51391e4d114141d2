/** The Revisions of a Subscription on a timeline, the newest first. */
import type { HistoryRow } from '../../data/models.ts';
import { Acts } from '../parts/acts.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Section } from '../parts/section.tsx';
import { Ago, Span } from '../parts/time.tsx';
import { spanOf } from '../parts/words-of-time.ts';

export function History({ history }: { readonly history: readonly HistoryRow[] }) {
  if (history.length === 0) return null;
  return (
    <Section title="History" note={history.length === 1 ? '1 Revision' : `${history.length} Revisions`}>
      <ol class="timeline" reversed>
        {history.toReversed().map((row) => (
          <li key={row.revision} class={`tone-${row.state.tone}`}>
            <Entry row={row} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Entry({ row }: { readonly row: HistoryRow }) {
  const { revision, href, version, state, digest, signature, created, rollOutSeconds, outcome, buttons } = row;
  return (
    <>
      <div class="row-head">
        <a class="version" href={href}>
          {version}
        </a>
        <StateBadge badge={state} />
        <Ago at={created} />
        {rollOutSeconds !== undefined && <span class="muted">rolled out in {spanOf(rollOutSeconds * 1000)}</span>}
      </div>
      <p>{outcome}</p>
      <Approved row={row} />
      <dl class="fine">
        <div>
          <dt>Revision</dt>
          <dd class="code">{revision}</dd>
        </div>
        <div>
          <dt>Digest</dt>
          <dd class="code break">{digest}</dd>
        </div>
        {signature !== undefined && (
          <div>
            <dt>Signature</dt>
            <dd>{signature}</dd>
          </div>
        )}
        {row.readyTime !== undefined && (
          <div>
            <dt>In service for</dt>
            <dd>
              <Span from={row.readyTime} to={row.endTime} />
            </dd>
          </div>
        )}
      </dl>
      <Acts buttons={buttons} />
    </>
  );
}

function Approved({ row: { approvedBy, approvedTime, approvedPlan } }: { readonly row: HistoryRow }) {
  if (approvedBy === undefined) return null;
  return (
    <p class="muted">
      Approved by <strong>{approvedBy}</strong>
      {approvedTime !== undefined && (
        <>
          {' '}
          <Ago at={approvedTime} />
        </>
      )}
      {approvedPlan !== undefined && (
        <>
          , plan <code title={approvedPlan}>{approvedPlan.slice(0, 19)}…</code>
        </>
      )}
    </p>
  );
}
