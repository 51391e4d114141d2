/** A word with its icon and colour; the word alone says the same. */
import type { Badge, Tone } from '../../data/models.ts';
import { Icon, type IconName } from './icon.tsx';

export const TONE_ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'good',
  working: 'busy',
  waiting: 'waiting',
  bad: 'bad',
  off: 'waiting',
  unknown: 'unknown',
};

/** A state as a pill. */
export function StateBadge({ badge }: { readonly badge: Badge }) {
  return (
    <span class={`badge tone-${badge.tone}`}>
      <Icon name={TONE_ICONS[badge.tone]} />
      <span>{badge.word}</span>
    </span>
  );
}
