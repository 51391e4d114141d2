/** How much of a catalog is read at most. What exceeds a limit makes the catalog invalid, by name. */
export interface StreamLimits {
  /** Bytes of one document. */
  readonly maxDocumentBytes: number;
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
  /** Characters of what one package's documents mean: its upgrade graphs and what its bundles state. */
  readonly maxPackageLength: number;
}

/**
 * Twice to ten times what the largest published catalogs need: 141 MB in all, one bundle of 6.8 MB inlined as
 * base64, four levels of nesting beyond the objects of a bundle. Whoever asks for a package has all of it in memory.
 */
export const DEFAULT_LIMITS: CatalogLimits = {
  maxDocumentBytes: 32 << 20,
  maxDepth: 200,
  maxNodes: 500_000,
  maxTotalBytes: 1 << 30,
  maxDocuments: 100_000,
  maxFiles: 100_000,
  maxPackageLength: 32 << 20,
};
