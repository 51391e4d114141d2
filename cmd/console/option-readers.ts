/** Readers of single options of the console; each names the form that it takes. Pure. */
import * as z from 'zod';
import { listOption } from '../serving/option-values.ts';

const WAYS = ['oidc', 'token', 'proxy'] as const;
type LoginWay = (typeof WAYS)[number];

/** Scheme, host and port, and nothing behind: the console has the host for itself. */
export function readOrigin(text: string, context: z.RefinementCtx): string {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (isOrigin && url.username === '' && url.hash === '') return url.origin;
  context.addIssue({ code: 'custom', message: 'must be an address without a path: https://console.example' });
  return z.NEVER;
}

/** The ways to log in; the proxy is one alone. */
export function readWays(text: string, context: z.RefinementCtx): ReadonlySet<LoginWay> {
  const named = listOption(text);
  const ways = new Set(WAYS.filter((way) => named.includes(way)));
  const isAlone = !ways.has('proxy') || ways.size === 1;
  if (named.length > 0 && ways.size === new Set(named).size && isAlone) return ways;
  context.addIssue({ code: 'custom', message: 'must be oidc, token, oidc,token, or proxy' });
  return z.NEVER;
}

/** key=claim, separated by commas. */
export function readPairs(text: string, context: z.RefinementCtx): ReadonlyMap<string, string> {
  const pairs = listOption(text).map((pair) => pair.split('='));
  if (pairs.every((pair) => pair.length === 2 && !pair.includes('')))
    return new Map(pairs.map(([key = '', claim = '']) => [key, claim]));
  context.addIssue({ code: 'custom', message: 'must be key=claim, separated by commas' });
  return z.NEVER;
}
