/** Puts trials into waves: the packages of one wave are installed side by side, in one cluster. Pure. */
import { claimsOf, providersOf } from './needs.ts';
import type { CorpusPackage } from './packages.ts';
import type { Trial } from './plan.ts';
import type { Traits } from './traits.ts';

/** How many are side by side: more would wait for the processors that they take from each other. */
const SIDE_BY_SIDE = 10;

export interface Wave {
  readonly trials: readonly Trial[];
  /** Packages that are there before the trials begin, and until they are over, for the kinds that these use. */
  readonly beside: readonly CorpusPackage[];
}

/** Each trial once; in a wave are trials of one kind, beside the same packages. */
export function planWaves(
  trials: readonly Trial[],
  corpus: readonly CorpusPackage[],
  traitsOf: (trial: Trial) => Traits,
): readonly Wave[] {
  const claims = trials.map((trial) => claim(trial, corpus, traitsOf(trial)));
  const groups = Map.groupBy(claims, ({ trial, beside }) => [trial.kind, ...beside.map(({ name }) => name)].join(' '));
  return [...groups.values()].flatMap((group) =>
    splitIntoWaves(group, SIDE_BY_SIDE).map((wave) => ({
      trials: wave.map(({ trial }) => trial),
      beside: group[0]?.beside ?? [],
    })),
  );
}

interface TrialClaim extends Claim {
  readonly trial: Trial;
  readonly beside: readonly CorpusPackage[];
}

function claim(trial: Trial, corpus: readonly CorpusPackage[], { intercepts, foreignKinds }: Traits): TrialClaim {
  const beside = providersOf(foreignKinds, corpus).filter((one) => one !== trial.of);
  return { trial, beside, claims: claimsOf(trial.of, corpus), alone: intercepts };
}

/** What something asks of its neighbours. */
export interface Claim {
  /** No two of a wave have any in common. */
  readonly claims: ReadonlySet<string>;
  /** It has a wave for itself. */
  readonly alone: boolean;
}

/** Each in the first wave that has room and nothing that it claims. */
export function splitIntoWaves<T extends Claim>(claims: readonly T[], size: number): readonly (readonly T[])[] {
  const waves: T[][] = [];
  for (const one of claims) {
    const room = waves.find((wave) => wave.length < size && wave.every((other) => fit(one, other)));
    if (room === undefined) waves.push([one]);
    else room.push(one);
  }
  return waves;
}

function fit(one: Claim, other: Claim): boolean {
  return !one.alone && !other.alone && one.claims.isDisjointFrom(other.claims);
}
