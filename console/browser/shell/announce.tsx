/** The live region: short sentences for those who hear the page, and for others a note that fades. */
import { signal } from '@preact/signals';

const SHOWN_MS = 6000;

interface Note {
  readonly text: string;
  readonly isBad: boolean;
  /** Said to readers of the screen alone: the page shows the same elsewhere. */
  readonly isSpoken: boolean;
  /** Distinguishes a repeated sentence, which is announced again. */
  readonly number: number;
}

const note = signal<Note | undefined>(undefined);
let count = 0;
let timer: number | undefined;

/** Says a sentence once. A bad one stays until the next. */
export function announce(text: string, { isBad = false, isSpoken = false } = {}): void {
  window.clearTimeout(timer);
  count += 1;
  note.value = { text, isBad, isSpoken, number: count };
  if (!isBad) timer = window.setTimeout(() => (note.value = undefined), SHOWN_MS);
}

/** There is one on the page, always, as readers of the screen notice changes of regions that they know. */
export function LiveRegion() {
  const shown = note.value;
  return (
    <div class="notes" role="status" aria-live="polite" aria-atomic="true">
      {shown !== undefined && (
        <div key={shown.number} class={classOf(shown)}>
          <p>{shown.text}</p>
          {!shown.isSpoken && (
            <button type="button" class="quiet" onClick={() => (note.value = undefined)}>
              Close
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function classOf({ isBad, isSpoken }: Note): string {
  if (isSpoken) return 'hidden';
  return isBad ? 'note note-bad' : 'note';
}
