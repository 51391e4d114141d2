/** Events, and the record of who approved what. */
import type { AuditRow, EventRow, EventsModel } from '../../data/models.ts';
import { StateBadge } from '../parts/badge.tsx';
import { CutNote, EmptyState } from '../parts/lists.tsx';
import { useQuery } from '../parts/query.ts';
import { Section } from '../parts/section.tsx';
import { Ago } from '../parts/time.tsx';

export function EventsView({ model }: { readonly model: EventsModel }) {
  const { namespace, namespaces, onlyWarnings, events, cut, audit, auditCut, empty } = model;
  const query = useQuery();
  return (
    <>
      <div class="filters">
        <nav class="categories" aria-label="Namespaces">
          <a class="chip" href="/events" {...(namespace === undefined && { 'aria-current': 'true' as const })}>
            All
          </a>
          {namespaces.map(({ label, href }) => (
            <a key={href} class="chip" href={href} {...(label === namespace && { 'aria-current': 'true' as const })}>
              {label}
            </a>
          ))}
        </nav>
        <label class="check">
          <input
            type="checkbox"
            checked={onlyWarnings}
            onChange={({ currentTarget }) => query.set('warnings', currentTarget.checked ? 'true' : '')}
          />
          Only warnings
        </label>
      </div>
      {empty !== undefined && <EmptyState empty={empty} />}
      {events.length > 0 && (
        <Section title="Events" note={events.length}>
          <ul class="events">
            {events.map((row) => (
              <Event key={row.key} row={row} />
            ))}
          </ul>
          <CutNote cut={cut} />
        </Section>
      )}
      {audit.length > 0 && (
        <Section title="Record" note="kept by the objects after their events are deleted">
          <ul class="events">
            {audit.map((row) => (
              <Record key={row.key} row={row} />
            ))}
          </ul>
          <CutNote cut={auditCut} />
        </Section>
      )}
    </>
  );
}

function Event({ row: { time, type, reason, object, namespace, href, message, count } }: { readonly row: EventRow }) {
  const name = `${object}${namespace === '' ? '' : ` in ${namespace}`}`;
  return (
    <li>
      <div class="row-head">
        <StateBadge badge={type} />
        <strong>{reason}</strong>
        {href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>}
        <span class="muted">
          <Ago at={time} />
          {count > 1 && `, ${count} times`}
        </span>
      </div>
      <p>{message}</p>
    </li>
  );
}

function Record({ row: { time, namespace, subscription, href, act, by, message } }: { readonly row: AuditRow }) {
  return (
    <li>
      <div class="row-head">
        <strong>{act}</strong>
        <a href={href}>
          {namespace}/{subscription}
        </a>
        <span class="muted">
          {by !== undefined && `by ${by}, `}
          <Ago at={time} />
        </span>
      </div>
      {message !== '' && <p>{message}</p>}
    </li>
  );
}
