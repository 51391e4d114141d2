/**
 * Markdown of a catalog as nodes of the page. Catalogs are hostile: only elements of a short list are drawn, links lead
 * to https alone, images are replaced by their text, and any other HTML is shown as the text that it is. It brings both
 * libraries with it, so a view loads it when it is first needed.
 */
import createPurifier, { type Config } from 'dompurify';
import { Marked, type Tokens } from 'marked';
import { cutWords } from './cut-words.ts';
import { isHarmless } from './harmless.ts';

const LONGEST = 200_000;

const ELEMENTS = 'p br hr h3 h4 h5 h6 strong em del code pre ul ol li blockquote a table thead tbody tr th td'.split(
  ' ',
);

const CONFIG = {
  ALLOWED_TAGS: ELEMENTS,
  ALLOWED_ATTR: ['href', 'start'],
  ALLOWED_URI_REGEXP: /^https:\/\//i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  KEEP_CONTENT: true,
  RETURN_DOM_FRAGMENT: true,
} as const satisfies Config;

const purifier = createPurifier(window);
purifier.addHook('afterSanitizeAttributes', (element) => {
  if (element.nodeName !== 'A') return;
  element.setAttribute('target', '_blank');
  element.setAttribute('rel', 'noopener noreferrer nofollow');
});

/** The nodes of a text; headings begin at the third level, below that of the section that has them. */
export function renderMarkdown(source: string): DocumentFragment {
  return purifier.sanitize(htmlOf(cutWords(source.slice(0, LONGEST))), CONFIG);
}

function htmlOf(source: string): string {
  let level = 2;
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        // no level may be left out: readers of the screen navigate by them
        level = Math.min(depth + 2, level + 1, 6);
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
      },
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (isHarmless(text) ? text : escapeHtml(text)),
    },
  });
  return marked.parse(source) as string;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
