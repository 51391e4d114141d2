/**
 * The tables of an index file. Documents are kept as lines of JSON, packed into compressed chunks in the order of the
 * catalog's files: the file is smaller than the catalog, and reading one document costs one chunk. Each document has a
 * row with its keys and a small excerpt.
 */

/** Marks a SQLite file as an index of this layout: "SLC" and the number of the layout. */
export const APPLICATION_ID = 0x534c4301;

/** Lines of about this many bytes are compressed together. */
export const CHUNK_BYTES = 1 << 18;

export const TABLES = `
  CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL, rank INTEGER NOT NULL);
  CREATE TABLE chunks (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL);
  CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    schema TEXT NOT NULL,
    package TEXT NOT NULL,
    name TEXT NOT NULL,
    meaning TEXT
  );
  CREATE TABLE gvks (id INTEGER PRIMARY KEY, grp TEXT NOT NULL, kind TEXT NOT NULL, version TEXT NOT NULL);
  CREATE TABLE provides (gvk INTEGER NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (gvk, blob)) WITHOUT ROWID;
  CREATE TABLE packages (name TEXT PRIMARY KEY, channels INTEGER NOT NULL, bundles INTEGER NOT NULL, meaning TEXT) WITHOUT ROWID;
  CREATE TABLE facts (key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
`;

/**
 * Made after the rows, which is faster than keeping them up to date. They hold the lengths too: a request for the size of an answer
 * would else read every row, which takes 20 ms of the only thread, and clients may send many.
 */
export const INDEXES = `
  CREATE INDEX blobs_by_package ON blobs (package, schema, length);
  CREATE INDEX blobs_by_name ON blobs (name);
  CREATE INDEX blobs_by_schema ON blobs (schema, name, length);
  CREATE INDEX chunks_by_file ON chunks (file);
  CREATE UNIQUE INDEX gvks_by_kind ON gvks (kind, grp, version);
`;

/** One row for every name under which a package, channel or bundle exists. */
export const FILL_PACKAGES = `
  INSERT INTO packages (name, channels, bundles, meaning)
  SELECT owner, sum(schema = 'olm.channel'), sum(schema = 'olm.bundle'), (
    SELECT meaning FROM blobs WHERE name = owner AND blobs.schema = 'olm.package' ORDER BY id LIMIT 1
  )
  FROM (
    SELECT package AS owner, schema FROM blobs WHERE schema IN ('olm.channel', 'olm.bundle') AND package <> ''
    UNION ALL
    SELECT name, schema FROM blobs WHERE schema = 'olm.package' AND name <> ''
  ) GROUP BY owner;
`;
