/** An error in a YAML text, with its place. */
export interface YamlErrorFacts {
  /** `syntax`: the text is wrong. `limit`: it is larger or deeper than allowed. */
  readonly kind: 'syntax' | 'limit';
  /** Continues the sentence "document 2, line 7 …". */
  readonly what: string;
  readonly document?: number;
  readonly line?: number;
  readonly cause?: unknown;
}

/** Thrown by the YAML parser; a caller that knows the file turns it into a ReasonedError. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  readonly kind: 'syntax' | 'limit';
  readonly what: string;
  readonly document: number | undefined;
  readonly line: number | undefined;

  constructor({ kind, what, document, line, cause }: YamlErrorFacts) {
    const where = document === undefined ? '' : `document ${document}${line === undefined ? '' : `, line ${line}`}: `;
    super(`${where}${what}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.what = what;
    this.document = document;
    this.line = line;
  }

  /** The same error with a place; one that has a place keeps it. */
  at(document: number, line: number): YamlError {
    if (this.document !== undefined) return this;
    return new YamlError({ kind: this.kind, what: this.what, document, line, cause: this.cause });
  }
}
