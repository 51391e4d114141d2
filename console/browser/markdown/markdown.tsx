/** A description in Markdown; plain text until the libraries for it are loaded. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

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
      {!isDrawn.value && <p class="plain">{source}</p>}
      <div class="markdown" ref={place} />
    </>
  );
}
