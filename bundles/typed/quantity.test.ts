import { expect, it } from 'vitest';
import { canonicalQuantity } from './quantity.ts';

/** The results of k8s.io/apimachinery 0.36. */
const CASES: readonly { readonly text: string; readonly canonical: string | undefined; readonly because: string }[] = [
  { text: '0.5', canonical: '500m', because: 'fractions become thousandths' },
  { text: '1024Mi', canonical: '1Gi', because: 'factors of 1024 go to the suffix' },
  { text: '100Mi', canonical: '100Mi', because: 'this is canonical' },
  { text: '1000Mi', canonical: '1000Mi', because: 'it is no multiple of 1024' },
  { text: '1.5Gi', canonical: '1536Mi', because: 'binary suffixes allow no fractions' },
  { text: '0.5Mi', canonical: '512Ki', because: 'binary suffixes allow no fractions here either' },
  { text: '512', canonical: '512', because: 'a number is a quantity' },
  { text: '1000m', canonical: '1', because: 'a thousand thousandths' },
  { text: '1500m', canonical: '1500m', because: 'it is more than one, and not whole' },
  { text: '1.500', canonical: '1.500', because: 'Kubernetes keeps texts that it knows to be exact' },
  { text: '1.50', canonical: '1500m', because: 'Kubernetes changes this text' },
  { text: '1e3', canonical: '1e3', because: 'exponents are a form of their own' },
  { text: '1e4', canonical: '10e3', because: 'in steps of three' },
  { text: '1E', canonical: '1E', because: 'E alone is exa, not an exponent' },
  { text: '+5', canonical: '+5', because: 'a sign is kept' },
  { text: '-0.5', canonical: '-500m', because: 'negative ones are quantities too' },
  { text: '0Mi', canonical: '0', because: 'zero has no unit' },
  { text: '1n', canonical: '1n', because: 'it is the smallest quantity' },
  { text: '0.1n', canonical: '1n', because: 'smaller values are rounded up' },
  { text: '9.2Ei', canonical: '9223372036854775807', because: 'more than 63 bits are capped' },
  { text: 'Gi', canonical: '0', because: 'a suffix without digits is zero' },
  { text: '', canonical: undefined, because: 'an empty text is no quantity' },
  { text: '1 Gi', canonical: undefined, because: 'no white space inside' },
  { text: '1K', canonical: undefined, because: 'kilo is small' },
  { text: '1.2.3', canonical: undefined, because: 'a version is no quantity' },
  { text: '1'.repeat(1000), canonical: undefined, because: 'it is far too long' },
];

it.each(CASES)('the quantity $text becomes $canonical: $because', ({ text, canonical }) => {
  expect(canonicalQuantity(text)).toBe(canonical);
});
