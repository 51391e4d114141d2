/** The conditions of an object, each with the question that it answers. */
import type { ConditionRow } from '../../data/models.ts';
import { StateBadge } from './badge.tsx';
import { Section } from './section.tsx';
import { Ago } from './time.tsx';

export function Conditions({ conditions }: { readonly conditions: readonly ConditionRow[] }) {
  if (conditions.length === 0) return null;
  return (
    <Section title="Conditions" note={conditions.length}>
      <ul class="conditions">
        {conditions.map(({ type, question, status, tone, reason, message, since }) => (
          <li key={type}>
            <div class="row-head">
              <strong>{type}</strong>
              <StateBadge badge={{ word: status, tone }} />
              <span class="muted">
                {reason}, <Ago at={since} />
              </span>
            </div>
            <p class="muted">{question}</p>
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
