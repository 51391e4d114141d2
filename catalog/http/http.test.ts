import { describe, expect, it } from 'vitest';
import { checkPreconditions } from './conditions.ts';
import { chooseEncoding } from './encoding.ts';

const modified = new Date('2026-01-02T03:04:05.678Z');
const weak = { etag: 'W/"abc"', modified };
const strong = { etag: '"abc"', modified };
const before = 'Fri, 02 Jan 2026 03:04:04 GMT';
const same = 'Fri, 02 Jan 2026 03:04:05 GMT';
const after = 'Fri, 02 Jan 2026 03:04:06 GMT';

describe('conditional requests', () => {
  it.each([
    { because: 'there is no condition', headers: {}, of: weak, verdict: undefined },
    { because: 'the client has this content', headers: { 'if-none-match': 'W/"abc"' }, of: weak, verdict: 304 },
    {
      because: 'weak and strong tags are equal here',
      headers: { 'if-none-match': '"x", "abc"' },
      of: weak,
      verdict: 304,
    },
    { because: 'any content will do', headers: { 'if-none-match': '*' }, of: weak, verdict: 304 },
    { because: 'the client has other content', headers: { 'if-none-match': '"x"' }, of: weak, verdict: undefined },
    {
      because: 'a tag counts more than a date',
      headers: { 'if-none-match': '"x"', 'if-modified-since': after },
      of: weak,
      verdict: undefined,
    },
    { because: 'it has not changed since', headers: { 'if-modified-since': same }, of: weak, verdict: 304 },
    { because: 'it has changed since', headers: { 'if-modified-since': before }, of: weak, verdict: undefined },
    {
      because: 'an invalid date is ignored',
      headers: { 'if-modified-since': 'yesterday' },
      of: weak,
      verdict: undefined,
    },
    { because: 'it has changed meanwhile', headers: { 'if-unmodified-since': before }, of: weak, verdict: 412 },
    { because: 'it has not changed meanwhile', headers: { 'if-unmodified-since': same }, of: weak, verdict: undefined },
    { because: 'a weak tag never matches strongly', headers: { 'if-match': 'W/"abc"' }, of: weak, verdict: 412 },
    { because: 'a strong tag matches strongly', headers: { 'if-match': '"abc"' }, of: strong, verdict: undefined },
    { because: 'there is content', headers: { 'if-match': '*' }, of: weak, verdict: undefined },
    {
      because: 'a matching tag counts more than a date',
      headers: { 'if-match': '"abc"', 'if-unmodified-since': before },
      of: strong,
      verdict: undefined,
    },
  ])('$because', ({ headers, of, verdict }) => {
    expect(checkPreconditions(headers, of)).toBe(verdict);
  });
});

describe('content encodings', () => {
  it.each([
    { because: 'there is no header', header: undefined, encoding: 'identity' },
    { because: 'gzip is accepted', header: 'gzip', encoding: 'gzip' },
    { because: 'both are accepted, and zstd is available', header: 'gzip, deflate, br, zstd', encoding: 'zstd' },
    { because: 'gzip is preferred', header: 'zstd;q=0.5, gzip', encoding: 'gzip' },
    { because: 'everything is accepted', header: '*', encoding: 'zstd' },
    { because: 'everything except zstd is accepted', header: '*, zstd;q=0', encoding: 'gzip' },
    { because: 'none of the offered encodings is accepted', header: 'br', encoding: 'identity' },
    { because: 'an old name', header: 'X-GZIP', encoding: 'gzip' },
    { because: 'none is preferred', header: 'gzip;q=0.5, identity;q=1', encoding: 'identity' },
    { because: 'invalid weights are ignored', header: 'gzip;q=high, zstd;q=7', encoding: 'identity' },
  ])('$because', ({ header, encoding }) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });
});
