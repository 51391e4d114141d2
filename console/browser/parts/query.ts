/** The state of a form in the address: filters and fields are a part of the deep link. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { useEffect, useMemo } from 'preact/hooks';

/** How long a person pauses while typing before the server is asked. */
const PAUSE_MS = 180;

const typing = signal(false);

/** Whether a form has changes that are not in the address yet: a person types in one at a time. */
export const isTyping: ReadonlySignal<boolean> = typing;

/** Mutable: changes that are not in the address yet. */
class QueryDraft {
  readonly #changes = new Map<string, string>();
  readonly #apply: (changes: ReadonlyMap<string, string>) => void;
  #timer: number | undefined;

  constructor(apply: (changes: ReadonlyMap<string, string>) => void) {
    this.#apply = apply;
  }

  /** Changes one value; an empty one is removed. `later` waits until the person pauses. */
  set(name: string, value: string, { later = false } = {}): void {
    this.#changes.set(name, value);
    typing.value = true;
    window.clearTimeout(this.#timer);
    if (later) this.#timer = window.setTimeout(() => this.flush(), PAUSE_MS);
    else this.flush();
  }

  flush(): void {
    typing.value = false;
    if (this.#changes.size === 0) return;
    const changes = new Map(this.#changes);
    this.#changes.clear();
    this.#apply(changes);
  }

  stop(): void {
    typing.value = false;
    window.clearTimeout(this.#timer);
  }
}

export interface Query {
  /** The value in the address. */
  readonly get: (name: string) => string;
  readonly set: QueryDraft['set'];
}

/** The query of the address. Changes take the place of the present entry of the history. */
export function useQuery(): Query {
  const { route } = useLocation();
  const draft = useMemo(() => new QueryDraft((changes) => route(addressWith(changes), true)), []);
  useEffect(() => () => draft.stop(), [draft]);
  return {
    get: (name) => new URLSearchParams(window.location.search).get(name) ?? '',
    set: (name, value, options) => draft.set(name, value, options),
  };
}

function addressWith(changes: ReadonlyMap<string, string>): string {
  const query = new URLSearchParams(window.location.search);
  // a page of the old list has no meaning in the new one
  query.delete('cursor');
  for (const [name, value] of changes) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? window.location.pathname : `${window.location.pathname}?${text}`;
}
