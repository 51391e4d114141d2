/** A description in Markdown; plain text until the libraries for it are loaded, and if they cannot be. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useLatePart } from '../parts/late-part.ts';
import type * as Render from './render.ts';
import { cutWords } from './cut-words.ts';

/** Characters that fill a screen; the rest comes with the libraries. */
const FIRST = 2000;

export function Markdown({ source }: { readonly source: string }) {
  const place = useRef<HTMLDivElement>(null);
  const { part, isMissing } = useLatePart(() => import('./render.ts'));
  const drawn = useMemo(() => part && drawnBy(part, source), [part, source]);
  useLayoutEffect(() => place.current?.replaceChildren(...(drawn === undefined ? [] : [drawn])), [drawn]);
  const isWhole = isMissing || part !== undefined;
  return (
    <>
      {drawn === undefined && <p class="plain">{cutWords(isWhole ? source : source.slice(0, FIRST))}</p>}
      <div class="markdown" ref={place} />
    </>
  );
}

/** Undefined if the library fails on this text: it comes from a catalog, and is shown as it is then. */
function drawnBy({ renderMarkdown }: typeof Render, source: string): Node | undefined {
  try {
    return renderMarkdown(source);
  } catch {
    return undefined;
  }
}
