/** One Subscription: version now and available, progress, problems, Pods, history. */
import type { PhaseRow, ProblemRow, QuarantinedRow, RefusedRow, SubscriptionModel } from '../../data/models.ts';
import { Acts } from '../parts/acts.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Conditions } from '../parts/conditions.tsx';
import { Copyable } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { CutNote, Facts, Hints } from '../parts/lists.tsx';
import { subscriptionPath } from '../parts/paths.ts';
import { Phases } from '../parts/phases.tsx';
import { Section } from '../parts/section.tsx';
import { SubscriptionTabs } from '../parts/tabs.tsx';
import { Ago } from '../parts/time.tsx';
import { History } from './history.tsx';
import { Pods } from './pods.tsx';

export function SubscriptionView({ model }: { readonly model: SubscriptionModel }) {
  return (
    <>
      <SubscriptionTabs namespace={model.namespace} name={model.name} links={model.links} />
      <Standing model={model} />
      <RollOut
        pending={model.pending}
        phases={model.phases}
        plan={`${subscriptionPath(model.namespace, model.name)}/plan`}
      />
      <Problems problems={model.problems} />
      <Pods pods={model.pods} />
      <NotInstalled model={model} />
      {model.buttons.length > 0 && (
        <Section title="Actions">
          <Acts buttons={model.buttons} />
        </Section>
      )}
      <Section title="Facts">
        <Facts facts={model.facts} moments={model.moments} />
      </Section>
      <History history={model.history} />
      <Conditions conditions={model.conditions} />
      {model.hints.length > 0 && (
        <Section title="On the command line">
          <Hints hints={model.hints} />
        </Section>
      )}
      <Section title="YAML">
        <details>
          <summary>Show the Subscription as YAML</summary>
          <Copyable text={model.yaml} what="the YAML" block label="Copy for Git" />
        </details>
      </Section>
    </>
  );
}

/** The answer to the first question: does it work, which version is it, and why is it not the newest? */
function Standing({ model }: { readonly model: SubscriptionModel }) {
  const { state, message, installed, available, path, outdated } = model;
  return (
    <div class={`standing tone-${state.tone}`}>
      <div class="standing-state">
        <StateBadge badge={state} />
        <p>{message}</p>
      </div>
      <div class="standing-versions">
        <Version label="Installed" version={installed} />
        {available !== undefined && available !== installed && (
          <>
            <Icon name="arrow" />
            <Version label={path.length > 1 ? `Available, in ${path.length} steps` : 'Available'} version={available} />
          </>
        )}
      </div>
      {outdated !== undefined && (
        <p class="standing-why">
          {!message.includes(outdated) && `${outdated} `}
          <a href={`${subscriptionPath(model.namespace, model.name)}/graph`}>Why not up to date?</a>
        </p>
      )}
    </div>
  );
}

function Version({ label, version }: { readonly label: string; readonly version: string | undefined }) {
  return (
    <div class="big-version">
      <span class="muted">{label}</span>
      <strong>{version ?? 'none'}</strong>
    </div>
  );
}

interface RollOutProps {
  readonly pending: SubscriptionModel['pending'];
  readonly phases: readonly PhaseRow[];
  /** Path of the plan. */
  readonly plan: string;
}

function titleOf(pending: RollOutProps['pending']): string {
  if (pending === undefined) return 'Roll-out';
  return `${pending.isWaiting ? 'Next' : 'In progress'}: ${pending.version}`;
}

function RollOut({ pending, phases, plan }: RollOutProps) {
  if (pending === undefined && phases.length === 0) return null;
  const step = pending?.steps === undefined ? undefined : `step ${pending.step ?? 1} of ${pending.steps}`;
  return (
    <Section title={titleOf(pending)} note={step}>
      {pending !== undefined && (
        <p class="muted">
          {pending.isWaiting ? 'Waits' : 'Now'}: {pending.reason}. <a href={plan}>Read the plan</a>
        </p>
      )}
      <Phases phases={phases} />
    </Section>
  );
}

function Problems({ problems }: { readonly problems: readonly ProblemRow[] }) {
  if (problems.length === 0) return null;
  return (
    <Section title="Problems" note={problems.length}>
      <ul class="rows">
        {problems.map(({ condition, reason, message, since }) => (
          <li key={condition} class="row-card row-bad">
            <div class="row-head">
              <strong>{reason}</strong>
              {since !== undefined && (
                <span class="muted">
                  since <Ago at={since} />
                </span>
              )}
            </div>
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Versions that are held back, each with its reason; the graph has the ways out. */
function NotInstalled({ model }: { readonly model: SubscriptionModel }) {
  const { quarantined, refused, refusedCut } = model;
  const graph = `${subscriptionPath(model.namespace, model.name)}/graph`;
  if (quarantined.length + refused.length === 0) return null;
  return (
    <Section title="Versions that are not installed" note={quarantined.length + refused.length}>
      <ul class="rows">
        {quarantined.map((row) => (
          <Quarantined key={`${row.bundle} ${row.since}`} row={row} graph={graph} />
        ))}
        {refused.map((row) => (
          <Refused key={row.href} row={row} />
        ))}
      </ul>
      <CutNote cut={refusedCut} />
    </Section>
  );
}

interface QuarantinedProps {
  readonly row: QuarantinedRow;
  /** Path of the graph. */
  readonly graph: string;
}

function Quarantined({ row: { version, reason, message, since }, graph }: QuarantinedProps) {
  return (
    <li class="row-card row-bad">
      <div class="row-head">
        <a class="version" href={`${graph}?version=${encodeURIComponent(version)}`}>
          {version}
        </a>
        <StateBadge badge={{ word: 'Quarantined', tone: 'bad' }} />
        <span class="muted">
          {reason}, <Ago at={since} />
        </span>
      </div>
      <p>{message}</p>
    </li>
  );
}

function Refused({ row: { version, reason, message, href } }: { readonly row: RefusedRow }) {
  return (
    <li class="row-card">
      <div class="row-head">
        <a class="version" href={href}>
          {version}
        </a>
        <span class="muted">{reason}</span>
      </div>
      <p>{message}</p>
    </li>
  );
}
