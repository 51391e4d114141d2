/** A titled part of a view; its title is in the outline of the page. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface SectionProps {
  readonly title: string;
  /** Beside the title: a count, a summary. */
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, note, children }: SectionProps) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span class="muted">{note}</span>}
      </header>
      {children}
    </section>
  );
}
