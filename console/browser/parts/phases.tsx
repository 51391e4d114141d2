/** The phases of a roll-out, each with how many of its objects are there. */
import type { PhaseRow } from '../../data/models.ts';
import { StateBadge } from './badge.tsx';

export function Phases({ phases }: { readonly phases: readonly PhaseRow[] }) {
  if (phases.length === 0) return null;
  return (
    <ol class="phases">
      {phases.map(({ name, state, ready, objects, message }) => (
        <li key={name} class={`phase tone-${state.tone}`}>
          <div class="phase-head">
            <strong>{name}</strong>
            <StateBadge badge={state} />
            <span class="phase-count">
              {ready} of {objects}
            </span>
          </div>
          <progress
            max={Math.max(objects, 1)}
            value={objects === 0 ? 1 : ready}
            aria-label={`${name}: objects ready`}
          />
          {message !== undefined && <p class="muted">{message}</p>}
        </li>
      ))}
    </ol>
  );
}
