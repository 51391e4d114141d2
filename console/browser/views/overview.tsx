/** Overview: what is installed, what is wrong, what waits for a person. */
import { useSignal } from '@preact/signals';
import type { OperatorRow, OverviewModel, StateCount, WaitingRow } from '../../data/models.ts';
import { Acts } from '../parts/acts.tsx';
import { StateBadge, TONE_ICONS } from '../parts/badge.tsx';
import { Icon } from '../parts/icon.tsx';
import { CutNote, EmptyState } from '../parts/lists.tsx';
import { Section } from '../parts/section.tsx';
import { VersionStep } from '../parts/version.tsx';

export function OverviewView({ model }: { readonly model: OverviewModel }) {
  const { summary, counts, waiting, wrong, catalogs, operators, cut, empty } = model;
  return (
    <>
      <p class="lead">{summary}</p>
      <Counts counts={counts} />
      {empty !== undefined && <EmptyState empty={empty} />}
      {waiting.length > 0 && (
        <Section title="Waits for you" note={waiting.length}>
          <ul class="rows">
            {waiting.map((row) => (
              <Waiting key={row.href} row={row} />
            ))}
          </ul>
        </Section>
      )}
      {wrong.length > 0 && (
        <Section title="Needs attention" note={wrong.length}>
          <ul class="rows">
            {wrong.map((row) => (
              <Wrong key={row.href} row={row} />
            ))}
          </ul>
        </Section>
      )}
      {catalogs.length > 0 && (
        <Section title="Catalogs with problems" note={catalogs.length}>
          <ul class="rows">
            {catalogs.map(({ name, state, message, buttons }) => (
              <li key={name} class={`row-card tone-${state.tone}`}>
                <div class="row-head">
                  <strong>{name}</strong>
                  <StateBadge badge={state} />
                </div>
                <p>{message}</p>
                <Acts buttons={buttons} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {operators.length > 0 && <Operators rows={operators} />}
      <CutNote cut={cut} />
    </>
  );
}

function Counts({ counts }: { readonly counts: readonly StateCount[] }) {
  if (counts.length === 0) return null;
  return (
    <ul class="counts" aria-label="Operators by state">
      {counts.map(({ word, tone, count }) => (
        <li key={word} class={`count tone-${tone}`}>
          <Icon name={TONE_ICONS[tone]} />
          <strong>{count}</strong>
          <span>{word}</span>
        </li>
      ))}
    </ul>
  );
}

function Waiting({ row }: { readonly row: WaitingRow }) {
  return (
    <li class={`row-card tone-${row.state.tone}`}>
      <div class="row-head">
        <OperatorLink row={row} />
        {row.risk !== undefined && <StateBadge badge={row.risk} />}
      </div>
      <p>{row.change}</p>
      <p class="muted">{row.message}</p>
      <a class="button main" href={row.plan.href}>
        {row.plan.label}
      </a>
    </li>
  );
}

function Wrong({ row }: { readonly row: OperatorRow }) {
  return (
    <li class={`row-card tone-${row.state.tone}`}>
      <div class="row-head">
        <OperatorLink row={row} />
        <StateBadge badge={row.state} />
      </div>
      <p>{row.message}</p>
    </li>
  );
}

function OperatorLink({ row: { href, namespace, name } }: { readonly row: OperatorRow }) {
  return (
    <a class="row-title" href={href}>
      <span class="muted">{namespace}/</span>
      {name}
    </a>
  );
}

/** All operators, with a field that narrows them: it matters from a dozen on. */
function Operators({ rows }: { readonly rows: readonly OperatorRow[] }) {
  const wanted = useSignal('');
  const shown = rows.filter((row) => matches(row, wanted.value));
  return (
    <Section title="Operators" note={rows.length === shown.length ? rows.length : `${shown.length} of ${rows.length}`}>
      {rows.length > FEW && (
        <label class="field filter">
          <span>Narrow the list</span>
          <input
            type="text"
            placeholder="Name, namespace, package or state"
            onInput={({ currentTarget }) => (wanted.value = currentTarget.value)}
          />
        </label>
      )}
      {shown.length === 0 && <p class="muted">No operator matches. Clear the field to see all of them.</p>}
      <ul class="operators">
        {shown.map((row) => (
          <Operator key={row.href} row={row} />
        ))}
      </ul>
    </Section>
  );
}

const FEW = 8;

function matches({ namespace, name, package: packageName, state }: OperatorRow, wanted: string): boolean {
  const text = `${namespace}/${name} ${packageName} ${state.word}`.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Operator({ row }: { readonly row: OperatorRow }) {
  return (
    <li class="operator">
      <StateBadge badge={row.state} />
      <div class="operator-name">
        <OperatorLink row={row} />
        {row.package !== row.name && <span class="muted"> {row.package}</span>}
      </div>
      <VersionStep installed={row.installed} available={row.available} />
      <p class="operator-message muted">{row.outdated ?? row.message}</p>
      {row.outdated !== undefined && (
        <a class="operator-why" href={`${row.href}/graph`}>
          Why not up to date?<span class="hidden"> {row.name}</span>
        </a>
      )}
    </li>
  );
}
