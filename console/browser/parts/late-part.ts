/** A part of the pages that is loaded when a view needs it: most views do without. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface LatePart<Part> {
  /** Undefined until it is loaded, and if it cannot be. */
  readonly part: Part | undefined;
  /** The server does not answer, or has the parts of another release. */
  readonly isMissing: boolean;
}

/** Loads a part once. Its loading may also be cut off because the person leaves the page: that is no error. */
export function useLatePart<Part>(load: () => Promise<Part>): LatePart<Part> {
  const state = useSignal<LatePart<Part>>({ part: undefined, isMissing: false });
  useEffect(() => {
    load().then(
      (part) => (state.value = { part, isMissing: false }),
      () => (state.value = { part: undefined, isMissing: true }),
    );
  }, []);
  return state.value;
}
