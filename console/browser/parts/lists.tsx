/** Small lists that most views have: facts, points in time, links, notices, hints, and the note that a list was cut. */
import type { Cut, Empty, Fact, Hint, Link, Moment as NamedMoment, Notice } from '../../data/models.ts';
import { TONE_ICONS } from './badge.tsx';
import { Copyable } from './copy.tsx';
import { Icon } from './icon.tsx';
import { Ago } from './time.tsx';

interface FactsProps {
  readonly facts: readonly Fact[];
  readonly moments?: readonly NamedMoment[];
}

/** Names and values in two columns, in one if the screen is narrow. */
export function Facts({ facts, moments = [] }: FactsProps) {
  if (facts.length + moments.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(({ name, values, href }) => (
        <div key={name}>
          <dt>{name}</dt>
          {values.map((value, index) => (
            <dd key={index}>{href === undefined ? value : <a href={href}>{value}</a>}</dd>
          ))}
        </div>
      ))}
      {moments.map(({ name, time }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Ago at={time} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Links side by side. */
export function Links({ links, label }: { readonly links: readonly Link[]; readonly label: string }) {
  if (links.length === 0) return null;
  return (
    <ul class="links" aria-label={label}>
      {links.map(({ label: words, href }) => (
        <li key={href}>
          <a href={href}>{words}</a>
        </li>
      ))}
    </ul>
  );
}

/** Sentences about the page itself. */
export function Notices({ notices }: { readonly notices: readonly Notice[] }) {
  return (
    <>
      {notices.map(({ tone, text }) => (
        <p key={text} class={`notice tone-${tone}`}>
          <Icon name={tone === 'unknown' ? 'info' : TONE_ICONS[tone]} />
          <span>{text}</span>
        </p>
      ))}
    </>
  );
}

/** In place of a list that has no entries: why, and how to go on. */
export function EmptyState({ empty }: { readonly empty: Empty }) {
  return (
    <div class="empty">
      <Icon name="box" />
      <p>{empty.message}</p>
      {empty.next.map(({ label, href }) => (
        <a key={href} class="button" href={href}>
          {label}
        </a>
      ))}
    </div>
  );
}

/** Below a list that leaves out entries. */
export function CutNote({ cut }: { readonly cut: Cut | undefined }) {
  if (cut === undefined) return null;
  return <p class="muted">{cut.href === undefined ? cut.message : <a href={cut.href}>{cut.message}</a>}</p>;
}

/** Command lines that help, each with its effect. */
export function Hints({ hints }: { readonly hints: readonly Hint[] }) {
  if (hints.length === 0) return null;
  return (
    <ul class="hints">
      {hints.map(({ command, effect }) => (
        <li key={command}>
          <p>{effect}</p>
          <Copyable text={command} what={`the command that ${effect}`} />
        </li>
      ))}
    </ul>
  );
}
