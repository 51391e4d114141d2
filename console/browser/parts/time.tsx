/** Points in time: written relative to now or in the local zone, with UTC on hover. */
import { signal } from '@preact/signals';
import { localTime, relativeTime, spanOf, utcTime } from './words-of-time.ts';

const TICK_MS = 20_000;
const now = signal(new Date());
window.setInterval(() => (now.value = new Date()), TICK_MS);

/** `3 hours ago`; hovering shows the local time and UTC. */
export function Ago({ at }: { readonly at: string | undefined }) {
  const time = parse(at);
  if (time === undefined) return <span class="muted">not known</span>;
  return (
    <time dateTime={at} title={`${localTime(time)} here, ${utcTime(time)}`}>
      {relativeTime(time, now.value)}
    </time>
  );
}

/** The time from one point to another, or until now. */
export function Span({ from, to }: { readonly from: string; readonly to: string | undefined }) {
  const end = parse(to) ?? now.value;
  return <span>{spanOf(end.getTime() - (parse(from) ?? end).getTime())}</span>;
}

function parse(at: string | undefined): Date | undefined {
  const time = new Date(at ?? '');
  return Number.isNaN(time.getTime()) ? undefined : time;
}
