/**
 * Texts, times and numbers that programs have stumbled over: they break out of formats, names and paths, are longer or
 * deeper than expected, or are words of the language that the program is written in. All of them are valid for the API
 * server in some field. Pure.
 */

/** Depth at which a parser that calls itself has no stack left. */
const DEPTH = 5000;
const EMPTY_IMAGE = `sha256:${'0'.repeat(64)}`;

/** Words that mean something to JavaScript, to YAML or to a shell, and texts that break out of lines and paths. */
const WORDS: readonly string[] = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'prototype',
  'tostring',
  'toString',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e999',
  '9007199254740993',
  '..',
  '../../../../etc/passwd',
  '/etc/passwd',
  '%2e%2e%2f',
  'a\u0000b',
  'a\r\nb: c',
  '\u001B[31mred\u001B[0m',
  '\u202Eright to left',
  '\uFEFF',
  '🧨'.repeat(60),
  'ｆｕｌｌ',
  'ß',
  '"; DROP TABLE bundles; --',
  '${jndi:ldap://127.0.0.1/x}',
  '{{ .Values.x }}',
  '$(reboot)',
  '<script>alert(1)</script>',
  '*',
  '?',
  '[',
  '\\',
  'a'.repeat(63),
  'a'.repeat(64),
  'a'.repeat(200),
  'a'.repeat(253),
  'a.'.repeat(126).slice(0, -1),
];

/** Ranges of versions and versions, right, wrong and expensive. */
const RANGES: readonly string[] = [
  '1.0.0',
  '>=1.0.0 <2.0.0',
  '>9.0.0',
  '<0.0.0-0',
  'x',
  'x || x || x',
  '~>1',
  '^0.0.0-alpha.999999999999999999999',
  '99999999999999999999.0.0',
  '1.0.0+'.padEnd(250, 'b'),
  '>'.repeat(200),
  '1.2.3 - 0.0.1',
  '>=1 || '.repeat(30).slice(0, -4),
];

/** Fields of cron, at the bounds and beyond. */
const CRONS: readonly string[] = [
  '* * * * *',
  '0 2 * * SAT',
  '0 0 31 2 *',
  '*/0 * * * *',
  '99 99 99 99 99',
  '0-59/7,1,2,3 * ? * 7#5',
  '@daily'.replace('@', '*'),
  ',,,,,,',
  '- - - - -',
  '0 0 29 2 MON',
];

const ZONES: readonly string[] = ['UTC', 'Europe/Berlin', 'Nowhere/AtAll', 'Etc/GMT+12', 'a'.repeat(64)];
const DURATIONS: readonly string[] = [
  '1s',
  '10s',
  '1m',
  '60s',
  '1h',
  '24h',
  '168h',
  '0s',
  '0.001ms',
  '24h0m0.001s',
  '1h1h1h1h',
];

/** References to images at hosts without a server, with another kind of server, or with odd names. */
const REFERENCES: readonly string[] = [
  `127.0.0.1:1/x@${EMPTY_IMAGE}`,
  `localhost:22/x@${EMPTY_IMAGE}`,
  `[::1]:9/x@${EMPTY_IMAGE}`,
  `169.254.169.254/latest@${EMPTY_IMAGE}`,
  `kubernetes.default.svc:443/x@${EMPTY_IMAGE}`,
  `registry.invalid/../../x@${EMPTY_IMAGE}`,
  `${'a/'.repeat(200)}x@${EMPTY_IMAGE}`.slice(-512),
  `\u0000/\u202E@${EMPTY_IMAGE}`,
  'registry.invalid/x:latest',
  'x@y@z',
  '://',
  '127.0.0.1:99999/x:y',
  `user:secret@127.0.0.1:1/x@${EMPTY_IMAGE}`,
];

const SELECTORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'in', 'a/b', 'slipway.dev/owner'];

/** Any text that a field may hold. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...WORDS,
  ...RANGES,
  ...CRONS,
  ...ZONES,
  ...DURATIONS,
  ...REFERENCES,
  ...SELECTORS,
];

/** Moments at the ends of the range of RFC 3339. */
export const TIMES: readonly string[] = [
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '2026-06-30T23:59:60Z',
  '2100-01-01T00:00:00.999999999+14:00',
  '9999-12-31T23:59:59Z',
];

/** Lists in lists, as JSON: short to write, and deeper than a stack. */
const DEEP_JSON: string = '['.repeat(DEPTH) + ']'.repeat(DEPTH);

function nestedConstraints(depth: number): string {
  const open = '{"failureMessage":"x","all":{"constraints":['.repeat(depth);
  return `${open}{"package":{"packageName":"ghost","versionRange":"x"}}${']}}'.repeat(depth)}`;
}

function expression(rule: string): string {
  return JSON.stringify({ failureMessage: 'no', cel: { rule } });
}

/** What stands in `properties[].value`: by its type JSON of a certain shape, and for the CRD any text of 64 KiB. */
export const PROPERTY_VALUES: readonly string[] = [
  'not json',
  '',
  'null',
  '[]',
  '{}',
  '"text"',
  '{"__proto__":{"polluted":true}}',
  '{"group":5,"kind":null,"version":[]}',
  '{"group":"fuzz.example","kind":"Widget","version":"v1"}',
  '{"packageName":"tiny-0","version":"not a version"}',
  '{"packageName":"tiny-0","versionRange":"<0.0.1"}',
  '{"packageName":"__proto__","versionRange":">>>"}',
  '{"packageName":"ghost","version":"1.0.0"}',
  '1e400',
  '9'.repeat(5000),
  DEEP_JSON,
  '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH),
  nestedConstraints(900),
  nestedConstraints(10),
  `"${'a'.repeat(65_000)}"`,
  expression('properties.all(a, properties.all(b, properties.all(c, properties.all(d, a == b))))'),
  expression(`"${'a'.repeat(200)}".matches("(a+)+$")`),
  expression('('.repeat(2000)),
  expression('1 / 0 == 1'),
  expression('properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "x") == 0)'),
];

/** The types of properties that have a meaning. */
export const PROPERTY_TYPES: readonly string[] = [
  'olm.gvk',
  'olm.gvk.required',
  'olm.package',
  'olm.package.required',
  'olm.constraint',
  'olm.label',
  'olm.maxOpenShiftVersion',
  'olm.csv.metadata',
  '__proto__',
];
