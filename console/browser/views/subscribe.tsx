/** The form that makes a Subscription. It always shows the YAML, and offers Git before the cluster. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Button, FormField, SubscribeModel } from '../../data/models.ts';
import { Acts } from '../parts/acts.tsx';
import { Copyable } from '../parts/copy.tsx';
import { EmptyState, Hints } from '../parts/lists.tsx';
import { subscriptionPath } from '../parts/paths.ts';
import { useQuery, type Query } from '../parts/query.ts';
import { Section } from '../parts/section.tsx';

export function SubscribeView({ model }: { readonly model: SubscribeModel }) {
  const { fields, yaml, button, hints, empty } = model;
  const query = useQuery();
  if (empty !== undefined) return <EmptyState empty={empty} />;
  return (
    <div class="two-columns">
      <Section title="Settings">
        <form class="form" onSubmit={(event) => event.preventDefault()}>
          {fields.map((field) => (
            <Field key={field.name} field={field} query={query} />
          ))}
        </form>
      </Section>
      <div>
        <Section title="1. Copy it for Git" note="the way to keep it">
          <Copyable text={yaml} what="the YAML" block label="Copy for Git" />
        </Section>
        <Section title="2. Or apply it now">
          {button === undefined ? (
            <p class="muted">Correct the marked fields first.</p>
          ) : (
            <Acts buttons={[button]} main after={pathOf(button.action)} />
          )}
          <Hints hints={hints} />
        </Section>
      </div>
    </div>
  );
}

/** The Subscription that the act makes. */
function pathOf(action: Button['action']): string | undefined {
  return action.kind === 'subscribe' ? subscriptionPath(action.namespace, action.name) : undefined;
}

interface FieldProps {
  readonly field: FormField;
  readonly query: Query;
}

function Field({ field, query }: FieldProps) {
  const { name, label, help, value, required, choices, problem } = field;
  const id = useId();
  // the person's own text, until it is in the address
  const draft = useSignal<string | undefined>(undefined);
  const shared = {
    id,
    name,
    'aria-describedby': `${id}-help`,
    'aria-invalid': problem !== undefined,
    required,
  };
  return (
    <div class={problem === undefined ? 'field' : 'field field-bad'}>
      <label for={id}>
        {label}
        {!required && <span class="muted"> (optional)</span>}
      </label>
      {choices === undefined ? (
        <input
          {...shared}
          autocomplete="off"
          spellcheck={false}
          value={draft.value ?? value}
          onInput={({ currentTarget }) => {
            draft.value = currentTarget.value;
            query.set(name, currentTarget.value, { later: true });
          }}
          onBlur={() => (draft.value = undefined)}
        />
      ) : (
        <select {...shared} value={value} onChange={({ currentTarget }) => query.set(name, currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
      <p id={`${id}-help`} class="help">
        {problem !== undefined && <strong class="field-problem">{problem} </strong>}
        {help}
      </p>
    </div>
  );
}
