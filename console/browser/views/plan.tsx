/** The plan of the next Revision: its effect, its risk, and the approval that names its hash. */
import { useRef } from 'preact/hooks';
import type { ApprovalState, Notice, PlanModel, PlanSection, RiskRow } from '../../data/models.ts';
import { Acts } from '../parts/acts.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Icon } from '../parts/icon.tsx';
import { CutNote, EmptyState, Facts, Notices } from '../parts/lists.tsx';
import { subscriptionPath } from '../parts/paths.ts';
import { Section } from '../parts/section.tsx';
import { SubscriptionTabs } from '../parts/tabs.tsx';
import { Ago } from '../parts/time.tsx';

export function PlanView({ model }: { readonly model: PlanModel }) {
  const { empty, risks, heldBy, facts, sections, hash } = model;
  // Kept here, as the summary goes while no plan is waiting.
  const opened = useRef(hash);
  opened.current ??= hash;
  return (
    <>
      <SubscriptionTabs namespace={model.namespace} name={model.name} links={model.links} />
      {empty !== undefined && <EmptyState empty={empty} />}
      {model.change !== undefined && <Summary model={model} isChanged={hash !== opened.current} />}
      <Risks risks={risks} />
      {heldBy.length > 0 && (
        <Section title="Held by the upgrade policy">
          <ul>
            {heldBy.map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        </Section>
      )}
      {facts.length > 0 && (
        <Section title="Facts">
          <Facts facts={facts} />
        </Section>
      )}
      {sections.map((section) => (
        <Lines key={section.title} section={section} />
      ))}
    </>
  );
}

const CHANGED: Notice = { tone: 'waiting', text: 'The plan has changed since this page was opened: read it again.' };

/** The change, the way back, the hash, and the approval: the part that decides. */
function Summary({ model, isChanged }: { readonly model: PlanModel; readonly isChanged: boolean }) {
  const { change, risk, pointOfNoReturn, wayBack, hash, approval, buttons } = model;
  return (
    <div class={`standing tone-${risk?.tone ?? 'unknown'}`}>
      <div class="standing-state">
        <p class="change">{change}</p>
        {risk !== undefined && <StateBadge badge={risk} />}
      </div>
      {pointOfNoReturn === undefined ? (
        wayBack !== undefined && <p>Way back: {wayBack.replace(/^back /, '')}</p>
      ) : (
        <p class="notice tone-bad">
          <Icon name="bad" />
          <span>
            <strong>Point of no return.</strong> {pointOfNoReturn}
          </span>
        </p>
      )}
      {approval !== undefined && <Approval approval={approval} />}
      {hash !== undefined && (
        <p class="hash">
          Plan <code class="break">{hash}</code>
        </p>
      )}
      {isChanged && <Notices notices={[CHANGED]} />}
      <Acts buttons={buttons} main after={subscriptionPath(model.namespace, model.name)} />
    </div>
  );
}

function Approval({ approval: { state, message, by, time } }: { readonly approval: ApprovalState }) {
  return (
    <p class="approval">
      <StateBadge badge={state} /> <span>{message}</span>
      {by !== undefined && !message.includes(by) && <span> by {by}</span>}
      {time !== undefined && (
        <span class="muted">
          {' '}
          <Ago at={time} />
        </span>
      )}
    </p>
  );
}

function Risks({ risks }: { readonly risks: readonly RiskRow[] }) {
  if (risks.length === 0) return null;
  return (
    <Section title="Risks" note={risks.length}>
      <ul class="rows">
        {risks.map(({ level, reason, message }) => (
          <li key={`${reason} ${message}`} class={`row-card tone-${level.tone}`}>
            <div class="row-head">
              <StateBadge badge={level} />
              <strong>{reason}</strong>
            </div>
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The sign of a line as `slipway plan` prints it: added, removed, changed, replaced, kept. */
const SIGNS: Readonly<Record<string, { readonly kind: string; readonly words: string }>> = {
  '+': { kind: 'added', words: 'added' },
  '-': { kind: 'removed', words: 'removed' },
  '~': { kind: 'changed', words: 'changed' },
  '!': { kind: 'changed', words: 'replaced' },
  '=': { kind: 'kept', words: 'kept' },
};

function Lines({ section: { title, summary, lines, cut } }: { readonly section: PlanSection }) {
  return (
    <Section title={title} note={summary}>
      <ul class="plan-lines">
        {lines.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </ul>
      <CutNote cut={cut} />
    </Section>
  );
}

function Line({ line }: { readonly line: string }) {
  const sign = line[1] === ' ' ? SIGNS[line[0] ?? ''] : undefined;
  if (sign === undefined) return <li class={line.startsWith('  ') ? 'plan-field' : ''}>{line.trim()}</li>;
  return (
    <li class={`plan-sign plan-${sign.kind}`}>
      <span aria-hidden="true">{line[0]}</span>
      <span class="hidden">{sign.words}: </span>
      {line.slice(2)}
    </li>
  );
}
