/** Which HTML of a Markdown text is drawn as HTML: everything else is shown as the text that it is. Pure. */

const TAGS = 'p br hr b i em strong code pre ul ol li table thead tbody tr th td h[1-6] blockquote'.split(' ');

/**
 * Tags without attributes, and white space. White space between two tags belongs to the first one alone: if it could belong to
 * either, a text that does not match would be tried in as many ways as there are, and the page would stand still.
 */
const HARMLESS = new RegExp(String.raw`^\s*(?:</?(?:${TAGS.join('|')})\s*/?>\s*)+$`, 'i');

/** Whether a piece of HTML has nothing but tags that authors of Markdown use for its look. */
export function isHarmless(html: string): boolean {
  return HARMLESS.test(html);
}
