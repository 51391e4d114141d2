/** Annotation of an object that the webhook of this path denies: a test sees by it that the webhook was called. */
export const DENIED_AT = 'answers.example.com/denied-at';
