/** The preview of an uninstall: the objects that are deleted, in their order, and those that stay. */
import type { UninstallChoice, UninstallModel, UninstallStep } from '../../data/models.ts';
import { Acts } from '../parts/acts.tsx';
import { Icon } from '../parts/icon.tsx';
import { useQuery } from '../parts/query.ts';
import { Section } from '../parts/section.tsx';
import { SubscriptionTabs } from '../parts/tabs.tsx';

export function UninstallView({ model }: { readonly model: UninstallModel }) {
  const { summary, deleted, steps, customResources, givenByOlm, stays, doubts, dependents, choices, buttons } = model;
  return (
    <>
      <SubscriptionTabs namespace={model.namespace} name={model.name} />
      <p class="lead">{summary}</p>
      {doubts.map((doubt) => (
        <p key={doubt} class="notice tone-waiting">
          <Icon name="waiting" />
          <span>{doubt}</span>
        </p>
      ))}
      {dependents.length > 0 && (
        <Section title="Depends on it" note={dependents.length}>
          <Lines lines={dependents} />
        </Section>
      )}
      {choices.length > 0 && (
        <Section title="Choose">
          {choices.map((choice) => (
            <Choice key={choice.name} choice={choice} />
          ))}
        </Section>
      )}
      <div class="two-columns">
        <Section title="Goes" note={deleted === 1 ? '1 object' : `${deleted} objects`}>
          {steps.length === 0 && <p class="muted">No object is deleted.</p>}
          {customResources.length > 0 && (
            <>
              <h3>Custom resources</h3>
              <ul>
                {customResources.map(({ crd, objects }) => (
                  <li key={crd}>
                    <strong class="break">{crd}</strong>: {objects}
                  </li>
                ))}
              </ul>
            </>
          )}
          <Steps steps={steps} />
          {givenByOlm.length > 0 && (
            <>
              <h3>Last, rights that OLM had given to the operator</h3>
              <Lines lines={givenByOlm} />
            </>
          )}
        </Section>
        <Section title="Stays" note={stays.length}>
          {stays.length === 0 ? <p class="muted">Nothing of the operator stays.</p> : <Lines lines={stays} />}
        </Section>
      </div>
      {buttons.length > 0 && (
        <Section title="Uninstall">
          <Acts buttons={buttons} after="/overview" />
        </Section>
      )}
    </>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul class="break">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function Steps({ steps }: { readonly steps: readonly UninstallStep[] }) {
  return (
    <ol class="steps">
      {steps.map(({ name, objects, kinds }) => (
        <li key={name}>
          <strong>{name}</strong> <span class="muted">{objects === 1 ? '1 object' : `${objects} objects`}</span>
          <ul class="break">
            {kinds.map((kind) => (
              <li key={kind}>{kind}</li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function Choice({ choice: { name, label, value, choices } }: { readonly choice: UninstallChoice }) {
  const query = useQuery();
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {choices.map((one) => (
        <label key={one.value}>
          <input
            type="radio"
            name={name}
            value={one.value}
            checked={one.value === value}
            onChange={() => query.set(name, one.value)}
          />
          <span>
            <strong>{one.label}</strong> <span class="muted">{one.help}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
