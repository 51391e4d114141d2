/**
 * Tests that are exhaustive take a fixed sample in `make test`, and everything in the targets of CONTRIBUTING.md
 * that set SLIPWAY_EXHAUSTIVE, such as `make corpus`. The code is the same; a sample has an item of each class.
 */
const isExhaustive = process.env['SLIPWAY_EXHAUSTIVE'] === 'yes';

export interface Sampling<Item> {
  /** One of that many is taken, the first one included. */
  readonly every: number;
  /** Items that are taken besides, as their class is too rare to be met by chance. */
  readonly also?: (item: Item) => boolean;
}

/** All items, or the sample of them in the same order. Pure but for the default of `all`. */
export function sampleOf<Item>(
  items: readonly Item[],
  { every, also = () => false }: Sampling<Item>,
  all = isExhaustive,
): readonly Item[] {
  return all ? items : items.filter((item, at) => at % every === 0 || also(item));
}

export interface Extents<Value> {
  /** For everything. */
  readonly all: Value;
  readonly sample: Value;
}

/** The value for the extent of this run, such as how many cases there are. */
export function byExtent<Value>({ all, sample }: Extents<Value>): Value {
  return isExhaustive ? all : sample;
}

/**
 * How many samples a property draws, or has of a rare case: a quarter in `make test`, and all of them in
 * `make test-more`.
 */
export function runsOf(all: number): number {
  return byExtent({ all, sample: Math.ceil(all / 4) });
}

/** For `skipIf`: whether this run leaves out tests that only an exhaustive target plays. */
export const isSample = !isExhaustive;

/** The classes that everything has and the sample lacks; both are counts by class. */
export function classesWithoutSample({ all, sample }: Extents<Readonly<Record<string, number>>>): readonly string[] {
  return Object.keys(all).filter((name) => (all[name] ?? 0) > 0 && (sample[name] ?? 0) === 0);
}
