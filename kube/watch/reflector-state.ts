/**
 * Decides what a reflector does next: list, watch, wait or stop. Pure: a state and an event give the next
 * state; reflector.ts carries it out.
 *
 *     list ──listed──▶ watch ──ended──▶ watch (from where it was)
 *      ▲ ▲               │
 *      │ └──expired──────┤ failed
 *      └──────wait◀──────┘
 */
import { jittered } from '../transport/retry-policy.ts';

/** The next action. */
export type ReflectorState =
  /** Fetch all objects. */
  | { readonly at: 'list'; readonly failures: number }
  /** Watch changes after `resourceVersion`. */
  | { readonly at: 'watch'; readonly resourceVersion: string; readonly failures: number }
  /** Do nothing for `seconds`, then continue with `next`. */
  | { readonly at: 'wait'; readonly seconds: number; readonly next: Resumption }
  /** Stopped for good. */
  | { readonly at: 'stopped' };

type Resumption = Extract<ReflectorState, { at: 'list' | 'watch' }>;

/** An event. `random` is uniform in [0, 1). */
export type ReflectorEvent =
  | { readonly kind: 'listed'; readonly resourceVersion: string }
  /** A change or bookmark was delivered. */
  | { readonly kind: 'advanced'; readonly resourceVersion: string }
  /** The watch ended normally; `short` if it ended at once and without events. */
  | { readonly kind: 'ended'; readonly short: boolean; readonly random: number }
  /**
   * The list or watch failed; `expired` if the resourceVersion is too old or unknown to the server, `forbidden` if
   * rights are missing.
   */
  | {
      readonly kind: 'failed';
      readonly expired: boolean;
      readonly forbidden: boolean;
      readonly retryAfterSeconds: number | undefined;
      readonly random: number;
    }
  | { readonly kind: 'waited' }
  /** There is a reason to try early, with a reset back-off. */
  | { readonly kind: 'woken' }
  | { readonly kind: 'aborted' };

/** Where every reflector begins. */
export const INITIAL_STATE: ReflectorState = { at: 'list', failures: 0 };

const FIRST_DELAY_SECONDS = 0.8;
const LONGEST_DELAY_SECONDS = 30;
/** A missing right is granted by a person, if ever: frequent retries are of no use. */
const LONGEST_FORBIDDEN_SECONDS = 300;

/** The state after `event`. An event that does not fit the state is ignored; `stopped` is final. */
export function step(state: ReflectorState, event: ReflectorEvent): ReflectorState {
  if (state.at === 'stopped' || event.kind === 'aborted') return { at: 'stopped' };
  if (state.at === 'list') return stepList(state, event);
  if (state.at === 'watch') return stepWatch(state, event);
  if (event.kind === 'woken') return { ...state.next, failures: 0 };
  return event.kind === 'waited' ? state.next : state;
}

function stepList(state: Extract<ReflectorState, { at: 'list' }>, event: ReflectorEvent): ReflectorState {
  // Failures are kept until the watch delivers something; otherwise a server whose versions expire at once would be
  // hammered.
  if (event.kind === 'listed') return { at: 'watch', resourceVersion: event.resourceVersion, failures: state.failures };
  if (event.kind === 'failed') return backOff(event, { at: 'list', failures: state.failures + 1 });
  return state;
}

function stepWatch(state: Extract<ReflectorState, { at: 'watch' }>, event: ReflectorEvent): ReflectorState {
  switch (event.kind) {
    case 'advanced':
      return { at: 'watch', resourceVersion: event.resourceVersion || state.resourceVersion, failures: 0 };
    case 'ended':
      return event.short ? backOff(event, { ...state, failures: state.failures + 1 }) : { ...state, failures: 0 };
    case 'failed': {
      const failures = state.failures + 1;
      if (!event.expired) return backOff(event, { ...state, failures });
      const relist: ReflectorState = { at: 'list', failures };
      return failures === 1 ? relist : backOff(event, relist);
    }
    default:
      return state;
  }
}

function backOff(
  event: { readonly retryAfterSeconds?: number | undefined; readonly forbidden?: boolean; readonly random: number },
  next: Resumption,
): ReflectorState {
  const longest = event.forbidden === true ? LONGEST_FORBIDDEN_SECONDS : LONGEST_DELAY_SECONDS;
  const grown = Math.min(FIRST_DELAY_SECONDS * 2 ** Math.min(next.failures - 1, 10), longest);
  return { at: 'wait', seconds: Math.max(jittered(grown, event.random), event.retryAfterSeconds ?? 0), next };
}
