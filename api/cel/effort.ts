/**
 * Bounds the cost of a CEL rule while it runs: every function is charged for the values that it reads, and every loop
 * for its items and passes. Used for the rules of catalogs and of CRDs. The same rule on the same values always costs
 * the same: the cost does not depend on a clock.
 *
 * Loops cannot be bounded beforehand, as a rule may build lists from lists that it built before.
 */
import type { CelEnv, CelFunc, CelInput, CelValue } from '@bufbuild/cel';
import type { CelLibrary } from './lazy-cel.ts';

/** The units left to spend; a unit is about ten nanoseconds. */
export interface Effort {
  units: number;
}

/** A CEL environment whose functions are charged. */
export interface BoundedCel {
  readonly environment: CelEnv;
  /** Charges the loops of an expression, `perPass` units for each pass. */
  readonly boundLoops: (expression: Expression, perPass: number) => void;
  /** Runs with at most this many units, and returns how many are left; below zero if they did not suffice. */
  readonly spend: <T>(units: number, run: () => T) => Spent<T>;
}

export interface Spent<T> {
  /** Absent if there were no units to begin with. */
  readonly result?: T;
  readonly left: number;
}

/** An expression as the library parses it. */
export type Expression = ReturnType<CelLibrary['parse']>['expr'];

/** Variable names that no rule can use, as they are no identifiers. */
const ITEMS = '@items';
const PASS = '@pass';

/** The base cost of a call, and the cost of each item or entry that it reads. */
const UNITS_PER_CALL = 50;
const UNITS_PER_ITEM = 5;

/** The standard functions and some more, all of them charged. */
export function createBoundedCel(library: CelLibrary, more: readonly CelFunc[]): BoundedCel {
  const { celEnv, celFunc, CelScalar, listType, mapType } = library;
  let left = 0;
  const charge = (units: number): void => {
    left -= units;
    if (left < 0) throw new Error('the rule costs too much');
  };
  const standard = [...celEnv().funcs, ...more].map((one) => chargeFor(one, { library, charge }));
  const loops = [
    celFunc(ITEMS, [CelScalar.DYN], CelScalar.DYN, (items) => {
      charge(sizeOf(items, library));
      return items;
    }),
    celFunc(PASS, [CelScalar.INT, CelScalar.DYN], CelScalar.DYN, (units, goesOn) => {
      left -= Number(units);
      return left < 0 ? false : goesOn;
    }),
  ];
  return {
    environment: celEnv({
      variables: { properties: listType(mapType(CelScalar.STRING, CelScalar.DYN)) },
      funcs: [...standard, ...loops],
    }),
    boundLoops: (expression, perPass) => boundLoops(expression, perPass),
    spend: (units, run) => {
      left = units;
      return units < 0 ? { left } : { result: run(), left };
    },
  };
}

interface Meter {
  readonly library: CelLibrary;
  readonly charge: (units: number) => void;
}

/** The same function, which first charges for its arguments. */
function chargeFor(inner: CelFunc, meter: Meter): CelFunc {
  const { celFunc, celMethod, isCelError } = meter.library;
  const { name, target, arguments: parameters, result } = inner;
  const run = (self: CelValue | undefined, values: CelValue[]): CelInput => {
    pay(name, self === undefined ? values : [self, ...values], meter);
    const [a, b] = values;
    if (name === '_+_' && meter.library.isCelList(a) && meter.library.isCelList(b))
      return meter.library.celList([...a, ...b]);
    const found = inner.call(0, self, values);
    if (isCelError(found)) throw found;
    if (found === undefined) throw new Error(`no overload of ${name} takes this`);
    return found;
  };
  return target === undefined
    ? celFunc(name, parameters, result, (...values) => run(undefined, values as CelValue[]))
    : celMethod(name, target, parameters, result, function (...values) {
        return run(this, values);
      });
}

/** Assumed number of steps of a repetition in a pattern, such as `{100}`. */
const REPEATED = 1000;

/** An equality compares in depth; for other functions only the size of the value counts. */
function pay(name: string, values: readonly CelValue[], meter: Meter): void {
  const { library, charge } = meter;
  charge(UNITS_PER_CALL);
  const sizes = values.map((value) => sizeOf(value, library));
  const [first = 0, second = 0] = sizes;
  if (name === 'matches') charge((first + 50) * second * (hasRepetition(values[1]) ? REPEATED : 1));
  else if (COMPARING.has(name) && values.every((value) => isContainer(value, library)))
    for (const value of values) payDeep(value, meter);
  else charge(name === 'size' && isContainer(values[0], library) ? 1 : first + second);
}

function hasRepetition(pattern: unknown): boolean {
  return typeof pattern === 'string' && pattern.includes('{');
}

const COMPARING: ReadonlySet<string> = new Set(['_==_', '_!=_', '@in']);

function payDeep(value: CelValue, meter: Meter): void {
  const { isCelList, isCelMap } = meter.library;
  meter.charge(sizeOf(value, meter.library));
  if (isCelList(value)) for (const item of value) payDeep(item, meter);
  else if (isCelMap(value)) for (const [, item] of value) payDeep(item, meter);
}

function isContainer(value: unknown, { isCelList, isCelMap }: CelLibrary): boolean {
  return isCelList(value) || isCelMap(value);
}

/** The cost of reading a value once, without its items or entries. */
function sizeOf(value: unknown, { isCelList, isCelMap }: CelLibrary): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return 1 + value.length;
  return isCelList(value) || isCelMap(value) ? 1 + value.size * UNITS_PER_ITEM : 1;
}

/**
 * Charges the entry of every loop, each of its passes, and each lookup in a list or map, which may compare a number
 * with every key. Once the units are spent, a loop ends.
 */
function boundLoops(expression: unknown, perPass: number): void {
  if (typeof expression !== 'object' || expression === null) return;
  for (const part of Object.values(expression)) boundLoops(part, perPass);
  const { case: name, value } = expression as Partial<Expression['exprKind']>;
  if (name === 'callExpr' && value?.function === '_[_]') value.args = value.args.map(throughItems);
  if (name !== 'comprehensionExpr') return;
  if (value?.iterRange === undefined || value.loopCondition === undefined) throw new Error('a loop without a range');
  value.iterRange = call(ITEMS, [value.iterRange]);
  value.loopCondition = call(PASS, [constant(perPass, value.loopCondition), value.loopCondition]);
}

/** Returns the list or map of a lookup, after charging for it. */
function throughItems(argument: Expression, place: number): Expression {
  return place === 0 ? call(ITEMS, [argument]) : argument;
}

function call(name: string, args: [Expression, ...Expression[]]): Expression {
  const value = { $typeName: 'cel.expr.Expr.Call' as const, function: name, args };
  return { ...args[0], exprKind: { case: 'callExpr', value } };
}

function constant(number: number, like: Expression): Expression {
  const constantKind = { case: 'int64Value' as const, value: BigInt(number) };
  return { ...like, exprKind: { case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind } } };
}
