/** One package of a Catalog: what it is, what it may do and needs, which versions there are. */
import type { ChannelRow, PackageModel, PackageVersionRow, ProvidedKind, RightRow } from '../../data/models.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Acts } from '../parts/acts.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { CutNote, EmptyState, Facts, Links } from '../parts/lists.tsx';
import { PackageIcon } from '../parts/package-icon.tsx';
import { Section } from '../parts/section.tsx';

export function PackageView({ model }: { readonly model: PackageModel }) {
  const { description, isCut, channels, versions, versionsCut, rights, rightsUnknown, provides, needs, empty } = model;
  return (
    <>
      <Head model={model} />
      {empty !== undefined && <EmptyState empty={empty} />}
      <div class="two-columns">
        <div>
          {description !== '' && (
            <Section title="Description">
              <Markdown source={description} />
              {isCut && <p class="muted">The description is longer; the rest is left out.</p>}
            </Section>
          )}
          <Provides kinds={provides} />
          <Rights rights={rights} unknown={rightsUnknown} />
        </div>
        <div>
          <Section title="Facts">
            <Facts facts={model.facts} />
            <Tags words={[...model.categories, ...model.keywords]} />
            <ul class="links" aria-label="Links of the provider">
              {model.links.map(({ label, href }) => (
                <li key={href}>
                  <a href={href} target="_blank" rel="noopener noreferrer">
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </Section>
          {needs.length > 0 && (
            <Section title="Needs">
              <ul>
                {needs.map((need) => (
                  <li key={need}>{need}</li>
                ))}
              </ul>
            </Section>
          )}
          <Channels channels={channels} />
          <Versions versions={versions} />
          <CutNote cut={versionsCut} />
        </div>
      </div>
    </>
  );
}

function Head({ model }: { readonly model: PackageModel }) {
  const { icon, provider, catalog, deprecation, installed, subscribe, buttons } = model;
  return (
    <div class="package-head">
      <PackageIcon src={icon} />
      <div>
        <p class="muted">
          {provider !== undefined && `${provider} · `}
          {model.package} in catalog {catalog}
        </p>
        {deprecation !== undefined && (
          <p>
            <StateBadge badge={{ word: 'Deprecated', tone: 'waiting' }} /> {deprecation}
          </p>
        )}
        {installed.length > 0 && (
          <div class="row">
            <StateBadge badge={{ word: 'Installed', tone: 'good' }} />
            <Links links={installed} label="Installed as" />
          </div>
        )}
        {subscribe.href !== '' && (
          <a class="button main" href={subscribe.href}>
            {subscribe.label}
          </a>
        )}
        <Acts buttons={buttons} />
      </div>
    </div>
  );
}

function Tags({ words }: { readonly words: readonly string[] }) {
  if (words.length === 0) return null;
  return (
    <ul class="tags" aria-label="Categories and keywords">
      {[...new Set(words)].map((word) => (
        <li key={word} class="tag">
          {word}
        </li>
      ))}
    </ul>
  );
}

function Provides({ kinds }: { readonly kinds: readonly ProvidedKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <Section title="Provides" note={kinds.length === 1 ? '1 kind' : `${kinds.length} kinds`}>
      <ul class="kinds">
        {kinds.map(({ kind, group, version, title, description }) => (
          <li key={`${kind}.${group}/${version}`}>
            <strong>{title ?? kind}</strong>{' '}
            <span class="muted code break">
              {kind}.{group}/{version}
            </span>
            {description !== undefined && <p>{description}</p>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface RightsProps {
  readonly rights: readonly RightRow[];
  readonly unknown: string | undefined;
}

function Rights({ rights, unknown }: RightsProps) {
  if (rights.length === 0 && unknown === undefined) return null;
  return (
    <Section title="Rights" note={rights.length === 0 ? undefined : `${rights.length} rights`}>
      {unknown !== undefined && <p class="muted">{unknown}</p>}
      <ul class="rights">
        {rights.map(({ danger, words, scope }) => (
          <li key={`${words} ${scope}`}>
            <StateBadge badge={danger} />
            <span>
              {words} <span class="muted">{scope}</span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Channels({ channels }: { readonly channels: readonly ChannelRow[] }) {
  if (channels.length === 0) return null;
  return (
    <Section title="Channels" note={channels.length}>
      <ul class="versions">
        {channels.map(({ name, isDefault, isChosen, head, versions, deprecation, href }) => (
          <li key={name}>
            <a href={href} {...(isChosen && { 'aria-current': 'true' as const })}>
              {name}
            </a>
            {isDefault && <span class="tag">default</span>}
            <span class="muted">
              {head !== undefined && `${head}, `}
              {versions === 1 ? '1 version' : `${versions} versions`}
            </span>
            {deprecation !== undefined && <span class="muted">Deprecated: {deprecation}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Versions({ versions }: { readonly versions: readonly PackageVersionRow[] }) {
  if (versions.length === 0) return null;
  return (
    <Section title="Versions" note={versions.length}>
      <ul class="versions versions-long">
        {versions.map(({ version, bundle, channels, deprecation, installed, subscribe }) => (
          <li key={bundle}>
            <span class="version">{version}</span>
            <span class="muted">{channels.join(', ')}</span>
            {deprecation !== undefined && <span class="muted">Deprecated: {deprecation}</span>}
            <Links links={installed} label={`${version} is installed as`} />
            <a class="versions-end" href={subscribe.href} aria-label={`${subscribe.label} ${version}`}>
              {subscribe.label}
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
