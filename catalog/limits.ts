/** Limits of a catalog. Exceeding one makes the catalog invalid, and the message names the limit. */
export interface StreamLimits {
  /** Bytes of one document. */
  readonly maxDocumentBytes: number;
  /** Bytes of one document that are parsed: in JSON all but properties that hold manifests, in YAML all. */
  readonly maxParsedBytes: number;
  /** Levels of nesting of one document. */
  readonly maxDepth: number;
  /** Values of one document, those of properties that hold manifests apart. */
  readonly maxNodes: number;
}

export interface CatalogLimits extends StreamLimits {
  /** Bytes of all files together. */
  readonly maxTotalBytes: number;
  readonly maxDocuments: number;
  readonly maxFiles: number;
  /** Bytes that one package takes in memory, its upgrade graphs and the properties of its bundles: see index/weigh.ts. */
  readonly maxPackageBytes: number;
}

/**
 * Two to ten times the size of the largest published catalogs: 141 MB in all, one bundle of 6.8 MB inlined as base64,
 * four levels of nesting beyond the objects of a bundle. Readers hold a whole package in memory. A text with one emoji takes
 * thirteen times its bytes while it is indexed, and the manager has 384 MB.
 */
export const DEFAULT_LIMITS: CatalogLimits = {
  maxDocumentBytes: 32 << 20,
  maxParsedBytes: 8 << 20,
  maxDepth: 200,
  maxNodes: 500_000,
  maxTotalBytes: 1 << 30,
  maxDocuments: 100_000,
  maxFiles: 100_000,
  maxPackageBytes: 64 << 20,
};
