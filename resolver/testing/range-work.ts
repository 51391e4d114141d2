/**
 * Counts the cost of parsing hostile ranges, in characters read: a program for a worker thread, as it replaces the
 * methods of strings with counting ones, which slows down everything beside it.
 */
import { parentPort } from 'node:worker_threads';
import { parseVersion } from '../version.ts';
import { GRAMMARS, hostileRanges } from './hostile-ranges.ts';

/** The cost of one text; the grammar `known` has searches of known cost, to check the count itself. */
export interface WorkRow {
  readonly grammar: 'blang' | 'Masterminds' | 'known';
  readonly text: string;
  readonly work: number;
}

type Cost = (self: unknown, all: readonly unknown[], result: unknown) => number;

/** Methods that do not read the whole text. */
const COSTS: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ['charAt', () => 1],
  ['charCodeAt', () => 1],
  ['slice', (_self, _all, result) => sizeOf(result)],
  ['startsWith', (_self, [start]) => sizeOf(start)],
  ['indexOf', (self, [, from], at) => (at === -1 ? sizeOf(self) : Number(at) + 1) - Number(from ?? 0)],
]);

let work = 0;

function sizeOf(text: unknown): number {
  return (text as { readonly length: number }).length;
}

function countCalls(prototype: object, name: string, cost: Cost): void {
  const original = Object.getOwnPropertyDescriptor(prototype, name);
  if (original === undefined || typeof original.value !== 'function') return;
  const call = original.value as (...all: readonly unknown[]) => unknown;
  const value = function counting(this: unknown, ...all: readonly unknown[]): unknown {
    const result = Reflect.apply(call, this, all);
    work += cost(this, all, result);
    return result;
  };
  Object.defineProperty(prototype, name, { ...original, value });
}

function workOf(action: () => void): number {
  work = 0;
  action();
  return work;
}

function known(): readonly WorkRow[] {
  const text = 'x'.repeat(100);
  const actions = [
    () => text.charAt(3),
    () => text.slice(1).includes('y'),
    () => {
      for (let at = 0; at < text.length; at++) text.indexOf('y', at);
    },
  ];
  return actions.map((action) => ({ grammar: 'known', text, work: workOf(action) }));
}

const version = parseVersion('1.2.3-rc.1');
if (!version.ok) throw new Error(version.problem);
const candidate = version.value;
for (const name of Object.getOwnPropertyNames(String.prototype)) {
  if (!['constructor', 'toString', 'valueOf'].includes(name))
    countCalls(String.prototype, name, COSTS.get(name) ?? ((self) => sizeOf(self)));
}
countCalls(RegExp.prototype, 'exec', (_, [text]) => sizeOf(text));

const rows = GRAMMARS.flatMap(({ grammar, parse, longest }) =>
  hostileRanges(longest).map((text): WorkRow => {
    const cost = workOf(() => {
      const parsed = parse(text);
      if (parsed.ok) parsed.value.includes(candidate);
    });
    return { grammar, text, work: cost };
  }),
);
parentPort?.postMessage([...rows, ...known()], []);
