/** The findings of `slipway doctor`. */

export type DoctorLevel = 'ok' | 'warning' | 'error' | 'unknown';

export interface DoctorFinding {
  readonly check: string;
  readonly level: DoctorLevel;
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
export type JudgedFinding = Omit<DoctorFinding, 'check'>;
