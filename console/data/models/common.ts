/**
 * The parts that all models share. Every text in a model is one line without control characters and not longer than a
 * bound, except those whose field says otherwise; it is drawn as text, never as HTML. Times are ISO 8601 in UTC: a model
 * has no ages, so that it changes only if the cluster does.
 */
import type { Action } from '../actions.ts';

/** How a word is to be coloured; the word itself says the same, so that colour is never needed. */
export type Tone = 'good' | 'working' | 'waiting' | 'bad' | 'off' | 'unknown';

/** One word with its colour: `Ready`, `Failed`, `Deprecated`. */
export interface Badge {
  readonly word: string;
  readonly tone: Tone;
}

/** A sentence about the page itself: a right that the person lacks, content that could not be read, a list that was cut. */
export interface Notice {
  readonly tone: Tone;
  readonly text: string;
}

/** A line of facts: `Installed: 1.0.0 (channel stable, catalog team, Revision gadget-1)`. */
export interface Fact {
  readonly name: string;
  /** Several values stand one below the other. */
  readonly values: readonly string[];
  /** Where the fact leads to: the path of a view. */
  readonly href?: string;
}

/** A point in time with its name: `Next window`, `Last checked`. */
export interface Moment {
  readonly name: string;
  readonly time: string;
}

/** A link to another view. `href` is the path of a view with its query. */
export interface Link {
  readonly label: string;
  readonly href: string;
}

/** The page has nothing to show: why, and what to do next. */
export interface Empty {
  readonly message: string;
  readonly next: readonly Link[];
}

/** A command line that helps, with its effect. */
export interface Hint {
  readonly command: string;
  readonly effect: string;
}

/** An act that a person can start here. */
export interface Button {
  readonly label: string;
  /** The kubectl line that does the same; several lines if the act has several requests. */
  readonly command: string;
  /** `unknown`: the review could not be made, or a policy of the cluster decides; the button works and the API server answers. */
  readonly allowed: boolean | 'unknown';
  /** Why it is not allowed, or not certain to be; a sentence. */
  readonly because?: string;
  /** A question that is asked before the act is sent; absent for acts that destroy nothing. */
  readonly confirm?: string;
  /** Text that the person must type before the act can be sent; only for acts that destroy. */
  readonly typed?: string;
  readonly action: Action;
}

/** A list that is cut: how many entries it leaves out, and where they are. */
export interface Cut {
  readonly omitted: number;
  readonly message: string;
  readonly href?: string;
}

/** Heads every model. */
export interface Page {
  /** Title of the page and of the browser's tab. */
  readonly title: string;
  readonly notices: readonly Notice[];
}
