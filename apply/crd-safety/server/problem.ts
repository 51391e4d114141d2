/** A fault of a value, or a lost part of it. */
export interface Problem {
  /** The rule that finds the same fault when two schemas are compared, and that a waiver names. */
  readonly rule: string;
  /** Path of the schema's node: `^.spec.size`. */
  readonly path: string;
  readonly message: string;
}

/** Collects problems as they are found. */
export type Report = (problem: Problem) => void;
