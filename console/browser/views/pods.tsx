/** The Pods of an operator, with the last lines of their logs. */
import type { LogTail, PodRow } from '../../data/models.ts';
import { StateBadge } from '../parts/badge.tsx';
import { Copyable } from '../parts/copy.tsx';
import { Section } from '../parts/section.tsx';

export function Pods({ pods }: { readonly pods: readonly PodRow[] }) {
  if (pods.length === 0) return null;
  return (
    <Section title="Pods" note={pods.length}>
      <ul class="rows">
        {pods.map((pod) => (
          <li key={`${pod.namespace}/${pod.name}`} class="row-card">
            <div class="row-head">
              <strong class="code">{pod.name}</strong>
              <StateBadge badge={pod.state} />
            </div>
            {pod.message !== undefined && <p>{pod.message}</p>}
            {pod.logs.map((log) => (
              <Log key={`${log.container} ${log.run}`} log={log} />
            ))}
            <Copyable text={pod.command} what={`the command that prints the log of ${pod.name}`} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Log({ log: { container, run, lines, failure } }: { readonly log: LogTail }) {
  const title = `Container ${container}${run === 'previous' ? ', the run that ended' : ''}`;
  if (failure !== undefined) {
    return (
      <p class="muted">
        {title}: {failure}
      </p>
    );
  }
  return (
    <figure class="log">
      <figcaption>
        {title}: last {lines.length === 1 ? 'line' : `${lines.length} lines`}
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={`Log of ${title}`}>
        {lines.join('\n')}
      </pre>
    </figure>
  );
}
