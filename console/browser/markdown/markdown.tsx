/** A description in Markdown; plain text until the libraries for it are loaded. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cutWords } from './cut-words.ts';

/** Characters that fill a screen; the rest comes with the libraries. */
const FIRST = 2000;

export function Markdown({ source }: { readonly source: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isDrawn = useSignal(false);

  async function draw(signal: AbortSignal): Promise<void> {
    const { renderMarkdown } = await import('./render.ts');
    if (signal.aborted) return;
    place.current?.replaceChildren(renderMarkdown(source));
    isDrawn.value = true;
  }

  useEffect(() => {
    const controller = new AbortController();
    void draw(controller.signal);
    return () => controller.abort();
  }, [source]);
  return (
    <>
      {!isDrawn.value && <p class="plain">{cutWords(source.slice(0, FIRST))}</p>}
      <div class="markdown" ref={place} />
    </>
  );
}
