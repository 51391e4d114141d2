/** The findings of `slipway doctor`. */

export type Level = 'ok' | 'warning' | 'error' | 'unknown';

export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

export interface DoctorOptions {
  /** `slipway-system` */
  readonly namespace: string;
  readonly now: Date;
}

/** A finding without the name of its check. */
export type Judged = Omit<Finding, 'check'>;
