/** Light or dark: as the system has it, unless the person switches. The choice stays in this browser. */
import { effect, signal } from '@preact/signals';
import { Icon, type IconName } from '../parts/icon.tsx';

type Theme = 'auto' | 'light' | 'dark';

const KEY = 'slipway-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const ICONS: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' };
const WORDS: Readonly<Record<Theme, string>> = { auto: 'as the system', light: 'light', dark: 'dark' };

const theme = signal<Theme>(readTheme());

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

/** Goes through the three choices. */
export function ThemeButton() {
  const words = WORDS[theme.value];
  return (
    <button type="button" class="quiet bar-button" title={`Colours: ${words}`} onClick={switchTheme}>
      <Icon name={ICONS[theme.value]} />
      <span class="hidden">Colours: {words}. Switch</span>
    </button>
  );
}

export function switchTheme(): void {
  theme.value = NEXT[theme.value];
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // a browser without storage forgets the choice with the page
  }
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'auto';
  } catch {
    return 'auto';
  }
}
