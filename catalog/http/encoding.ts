/** Which content encoding a client prefers, of those that are offered. */

export type Encoding = 'identity' | 'gzip' | 'zstd';

/** In the order of preference for a client that has none: the index is stored as zstd. */
const OFFERED: readonly Encoding[] = ['zstd', 'gzip'];

/**
 * The encoding for an `Accept-Encoding` header; identity if none of the others is accepted.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function chooseEncoding(header: string | string[] | undefined): Encoding {
  const weights = parseWeights(Array.isArray(header) ? header.join(',') : (header ?? ''));
  let best: Encoding = 'identity';
  let bestWeight = 0;
  for (const encoding of OFFERED) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0;
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight];
  }
  return bestWeight < (weights.get('identity') ?? 0) ? 'identity' : best;
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.slice(0, 1024).split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight = quality === undefined ? 1 : Number(quality.slice(quality.indexOf('=') + 1));
    if (name !== '' && weight >= 0 && weight <= 1) weights.set(name === 'x-gzip' ? 'gzip' : name, weight);
  }
  return weights;
}
