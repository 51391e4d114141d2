/** Something that is wrong with a value, or is lost of it. */
export interface Problem {
  /** The rule that finds such a thing when two schemas are compared, and that a waiver names. */
  readonly rule: string;
  /** Path of the schema's node: `^.spec.size`. */
  readonly path: string;
  readonly message: string;
}

/** Takes problems as they are found. */
export type Report = (problem: Problem) => void;
