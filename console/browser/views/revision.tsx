/** One Revision: its objects as a tree with health and field owners, its repairs and losses. */
import type { FieldOwner, PhaseGroup, RevisionModel, TreeItem } from '../../data/models.ts';
import { Acts } from '../parts/acts.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Conditions } from '../parts/conditions.tsx';
import { Copyable } from '../parts/copy.tsx';
import { CutNote, Facts } from '../parts/lists.tsx';
import { Phases } from '../parts/phases.tsx';
import { Section } from '../parts/section.tsx';
import { Ago } from '../parts/time.tsx';

export function RevisionView({ model }: { readonly model: RevisionModel }) {
  const { subscription, state, message, version, phases, groups, repair, losses, buttons } = model;
  return (
    <>
      <nav class="tabs" aria-label="Views of the Subscription">
        <a href={subscription.href}>Subscription {subscription.label}</a>
        {model.links
          .filter(({ href }) => href !== subscription.href)
          .map(({ label, href }) => (
            <a key={href} href={href}>
              {label}
            </a>
          ))}
      </nav>
      <div class={`standing tone-${state.tone}`}>
        <div class="standing-state">
          <StateBadge badge={state} />
          <span class="version">{version}</span>
        </div>
        <p>{message}</p>
        {repair !== undefined && (
          <p class="muted">
            Last repair <Ago at={repair.time} />: {repair.message}
          </p>
        )}
        <Acts buttons={buttons} />
      </div>
      {losses.map(({ crd, since, message: words }) => (
        <p key={crd} class="notice tone-bad">
          <span>
            <strong>{crd}</strong> <Ago at={since} />: {words}
          </span>
        </p>
      ))}
      <Section title="Facts">
        <Facts facts={model.facts} moments={model.moments} />
      </Section>
      {phases.length > 0 && (
        <Section title="Phases">
          <Phases phases={phases} />
        </Section>
      )}
      {groups.length > 0 && (
        <Section title="Objects" note={`${groups.reduce((sum, { items }) => sum + items.length, 0)} shown`}>
          {groups.map((group) => (
            <Group key={group.phase} group={group} />
          ))}
        </Section>
      )}
      <Conditions conditions={model.conditions} />
    </>
  );
}

function Group({ group: { phase, summary, state, items, cut } }: { readonly group: PhaseGroup }) {
  const isInteresting = state.tone !== 'good' || items.some(({ drift }) => drift !== undefined);
  return (
    <details class="group" open={isInteresting}>
      <summary>
        <strong>{phase}</strong> <StateBadge badge={state} /> <span class="muted">{summary}</span>
      </summary>
      <Tree items={items} />
      <CutNote cut={cut} />
    </details>
  );
}

function Tree({ items }: { readonly items: readonly TreeItem[] }) {
  return (
    <ul class="tree">
      {items.map((item) => (
        <li key={item.key}>
          <Item item={item} />
          {item.children.length > 0 && <Tree items={item.children} />}
        </li>
      ))}
    </ul>
  );
}

function Item({ item: { name, state, message, owners, drift, command } }: { readonly item: TreeItem }) {
  return (
    <>
      <div class="row-head">
        <span class="code break">{name}</span>
        <StateBadge badge={state} />
        {drift !== undefined && <StateBadge badge={{ word: 'Changed', tone: 'waiting' }} />}
      </div>
      {message !== undefined && <p class="muted">{message}</p>}
      {drift !== undefined && <p>{drift}</p>}
      {(owners.length > 0 || command !== undefined) && (
        <details class="owners">
          <summary>
            Details<span class="hidden"> of {name}</span>
          </summary>
          {owners.map((owner) => (
            <Owner key={owner.manager} owner={owner} />
          ))}
          {command !== undefined && <Copyable text={command} what={`the command that prints ${name}`} />}
        </details>
      )}
    </>
  );
}

function Owner({ owner: { manager, isSlipway, fields, count, time } }: { readonly owner: FieldOwner }) {
  return (
    <p>
      <strong>{manager}</strong>
      {isSlipway && <span class="tag">Slipway</span>} owns {count === 1 ? '1 field' : `${count} fields`}
      {time !== undefined && (
        <span class="muted">
          , written <Ago at={time} />
        </span>
      )}
      {fields.length > 0 && <span class="muted code break"> {fields.join(', ')}</span>}
      {count > fields.length && fields.length > 0 && <span class="muted"> and {count - fields.length} more</span>}
    </p>
  );
}
