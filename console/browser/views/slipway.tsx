/** Slipway itself: leader, Catalogs and their age, versions. */
import type { CatalogRow, FindingRow, PolicyRow, SlipwayModel } from '../../data/models.ts';
import { Acts } from '../parts/acts.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { EmptyState, Facts } from '../parts/lists.tsx';
import { Section } from '../parts/section.tsx';
import { Ago } from '../parts/time.tsx';

export function SlipwayView({ model }: { readonly model: SlipwayModel }) {
  const { findings, leader, renewed, facts, catalogs, policies, empty } = model;
  return (
    <>
      <Findings findings={findings} />
      <Section title="Manager">
        <p>
          {leader === undefined ? (
            'No leader is known.'
          ) : (
            <>
              <strong class="break">{leader}</strong> leads
              {renewed !== undefined && (
                <span class="muted">
                  , and renewed its Lease <Ago at={renewed} />
                </span>
              )}
            </>
          )}
        </p>
        <Facts facts={facts} />
      </Section>
      {empty !== undefined && <EmptyState empty={empty} />}
      {catalogs.length > 0 && (
        <Section title="Catalogs" note={catalogs.length}>
          <ul class="rows">
            {catalogs.map((row) => (
              <CatalogCard key={row.name} row={row} />
            ))}
          </ul>
        </Section>
      )}
      <Policies policies={policies} />
    </>
  );
}

function Findings({ findings }: { readonly findings: readonly FindingRow[] }) {
  if (findings.length === 0) return null;
  return (
    <Section title="Findings" note={findings.length}>
      <ul class="rows">
        {findings.map(({ level, message, advice }) => (
          <li key={message} class="row-card">
            <div class="row-head">
              <StateBadge badge={level} />
              <span>{message}</span>
            </div>
            {advice !== undefined && <p class="muted">{advice}</p>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function CatalogCard({ row }: { readonly row: CatalogRow }) {
  const { name, state, message, source, digest, packages, channels, bundles, priority, moments, signature } = row;
  const counts = [counted(packages, 'packages'), counted(channels, 'channels'), counted(bundles, 'bundles')];
  const content = counts.filter((part) => part !== undefined).join(', ');
  return (
    <li class="row-card">
      <div class="row-head">
        <a class="row-title" href="/catalog">
          {name}
        </a>
        <StateBadge badge={state} />
      </div>
      <p>{message}</p>
      <Facts
        facts={[
          { name: 'Source', values: [source] },
          ...(digest === undefined ? [] : [{ name: 'Digest', values: [digest] }]),
          ...(content === '' ? [] : [{ name: 'Content', values: [content] }]),
          { name: 'Priority', values: [String(priority)] },
          ...(signature === undefined ? [] : [{ name: 'Signature', values: [signature] }]),
        ]}
        moments={moments}
      />
      <Acts buttons={row.buttons} />
    </li>
  );
}

function counted(amount: number | undefined, noun: string): string | undefined {
  return amount === undefined ? undefined : `${amount.toLocaleString('en')} ${noun}`;
}

function Policies({ policies }: { readonly policies: readonly PolicyRow[] }) {
  if (policies.length === 0) return null;
  return (
    <Section title="RegistryPolicies" note={policies.length}>
      <ul class="rows">
        {policies.map(({ name, prefix, state, message }) => (
          <li key={name} class="row-card">
            <div class="row-head">
              <strong>{name}</strong>
              <span class="code break">{prefix}</span>
              <StateBadge badge={state} />
            </div>
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
