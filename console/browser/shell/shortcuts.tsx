/** Keys that work everywhere outside of fields, and the dialog that lists them. */
import { signal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { switchTheme } from './theme.tsx';

/** Second key of the pair that begins with `g`. */
const PLACES: Readonly<Record<string, { readonly path: string; readonly words: string }>> = {
  o: { path: '/overview', words: 'Overview' },
  c: { path: '/catalog', words: 'Catalog' },
  e: { path: '/events', words: 'Events' },
  s: { path: '/slipway', words: 'Slipway itself' },
};

const PAIR_MS = 1500;

const isShown = signal(false);

export function showShortcuts(): void {
  isShown.value = true;
}

/** Listens to the keys; draws the dialog while it is asked for. */
export function Shortcuts() {
  const { route } = useLocation();
  useEffect(() => {
    const keys = new Keys(route);
    const listen = (event: KeyboardEvent): void => keys.press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [route]);
  return isShown.value ? <Help /> : null;
}

/** State: whether a pair has begun. */
class Keys {
  readonly #route: (path: string) => void;
  #pairUntil = 0;

  constructor(route: (path: string) => void) {
    this.#route = route;
  }

  press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const place = PLACES[event.key];
    if (event.timeStamp < this.#pairUntil && place !== undefined) this.#route(place.path);
    else if (event.key === '?') showShortcuts();
    else if (event.key === 't') switchTheme();
    else if (event.key === '/') this.#search(event);
    this.#pairUntil = event.key === 'g' ? event.timeStamp + PAIR_MS : 0;
  }

  #search(event: KeyboardEvent): void {
    event.preventDefault();
    const field = document.querySelector<HTMLInputElement>('input[type=search]');
    if (field === null) this.#route('/catalog');
    else field.focus();
  }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}

function Help() {
  return (
    <Dialog title="Keys" close={() => (isShown.value = false)}>
      <dl class="keys">
        {Object.entries(PLACES).map(([key, { words }]) => (
          <Key key={key} keys={['g', key]} words={`Go to ${words}`} />
        ))}
        <Key keys={['/']} words="Search the catalog" />
        <Key keys={['t']} words="Switch colours: as the system, light, dark" />
        <Key keys={['?']} words="Show this list" />
        <Key keys={['Esc']} words="Close a dialog" />
        <Key keys={['←', '→', '↑', '↓']} words="In the upgrade graph: go from version to version" />
      </dl>
    </Dialog>
  );
}

function Key({ keys, words }: { readonly keys: readonly string[]; readonly words: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{words}</dd>
    </div>
  );
}
