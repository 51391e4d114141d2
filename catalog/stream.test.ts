import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { ReasonedError } from '../api/errors.ts';
import { parseYaml } from '../bundles/yaml.ts';
import { DEFAULT_LIMITS, type StreamLimits } from './limits.ts';
import { DocumentSplitter } from './stream.ts';

interface Outcome {
  readonly lines: readonly string[];
  readonly values: readonly unknown[];
  readonly error?: string;
}

/** Splits bytes that arrive in chunks of these sizes, over and over. */
function split(
  bytes: Uint8Array,
  sizes: readonly number[] = [bytes.length || 1],
  limits: StreamLimits = DEFAULT_LIMITS,
): Outcome {
  const splitter = new DocumentSplitter('catalog.json', limits);
  const lines: string[] = [];
  const values: unknown[] = [];
  const take = (documents: Iterable<{ bytes: Uint8Array; value: unknown }>): void => {
    for (const document of documents) {
      lines.push(Buffer.from(document.bytes).toString());
      values.push(document.value);
    }
  };
  try {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length]!;
      take(splitter.push(bytes.subarray(at, at + size)));
      at += size;
    }
    take(splitter.end());
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    return { lines, values, error: `${error.reason} ${JSON.stringify(error.retry)}: ${error.message}` };
  }
  return { lines, values };
}

function splitText(text: string, limits?: StreamLimits): Outcome {
  return split(Buffer.from(text), undefined, limits);
}

describe('valid files of a catalog', () => {
  const two = ['{"schema":"a"}', '{"schema":"b","x":[1,2]}'];
  it.each([
    { because: 'JSON lines', text: '{"schema":"a"}\n{"schema":"b","x":[1,2]}\n' },
    { because: 'concatenated JSON, indented', text: '{\n  "schema" : "a"\n}\n{ "schema":"b", "x": [ 1 ,2 ] }' },
    { because: 'nothing between the objects', text: '{"schema":"a"}{"schema":"b","x":[1,2]}' },
    { because: 'CRLF and tabs', text: '{\r\n\t"schema":"a"}\r\n{"schema":"b","x":[1,2]}\r\n' },
    { because: 'a byte order mark', text: '\uFEFF{"schema":"a"}{"schema":"b","x":[1,2]}' },
    { because: 'YAML documents', text: 'schema: a\n---\nschema: b\nx:\n- 1\n- 2\n' },
    {
      because: 'YAML that begins with a separator and a comment',
      text: '--- # first\nschema: a\n---\nschema: b\nx: [1, 2]\n---\n',
    },
    { because: 'YAML with a byte order mark', text: '\uFEFFschema: a\n---\nschema: b\nx: [1, 2]' },
    { because: 'JSON, then YAML after a separator', text: '{"schema":"a"}\n---\nschema: b\nx: [1, 2]\n' },
    { because: 'YAML in braces', text: '{schema: a}\n---\nschema: b\nx: [1, 2]\n' },
    {
      because: 'YAML in braces over several lines',
      text: '{\n  "schema": "a", # first\n}\n---\n{schema: b, x: [1, 2]}\n',
    },
    {
      because: 'documents with comments only in between',
      text: 'schema: a\n---\n# nothing\n---\n\n---\nschema: b\nx: [1, 2]\n',
    },
  ])('$because', ({ text }) => {
    expect(splitText(text)).toEqual({ lines: two, values: two.map((line) => JSON.parse(line) as unknown) });
  });

  it.each([
    { because: 'a trailing comma', text: '{"a":1,}', line: '{"a":1}' },
    { because: 'a key without quotes', text: '{a: 1}', line: '{"a":1}' },
    { because: 'single quotes', text: "{'a': 1}", line: '{"a":1}' },
    { because: 'a word that is none', text: '{"a":nul}', line: '{"a":"nul"}' },
    { because: 'a number with a leading zero', text: '{"a":01}', line: '{"a":1}' },
    { because: 'a raw line feed in a text', text: '{"a":"x\ny"}', line: '{"a":"x y"}' },
    { because: 'a raw tab in a text', text: '{"a":"x\ty"}', line: '{"a":"x\\ty"}' },
    { because: 'an escape of YAML', text: String.raw`{"a":"\x41"}`, line: '{"a":"A"}' },
  ])('what is no JSON is YAML in braces, as in the reference: $because', ({ text, line }) => {
    expect(splitText(text).lines).toEqual([line]);
    expect(split(Buffer.from(text), [1]).lines).toEqual([line]);
  });

  it.each([
    { because: 'an empty file', text: '' },
    { because: 'white space', text: ' \n\t\r\n' },
    { because: 'comments', text: '# nothing here\n' },
  ])('$because has no documents', ({ text }) => {
    expect(splitText(text)).toEqual({ lines: [], values: [] });
  });
});

describe('files that are no catalog', () => {
  it.each([
    { because: 'a text file is YAML, but no object', text: 'read me first' },
    { because: 'a list is no document', text: '[{"schema":"a"}]' },
    { because: 'a list in YAML neither', text: '- schema: a\n' },
    { because: 'a number after an object', text: '{"schema":"a"} 7' },
    { because: 'a comma between objects', text: '{"schema":"a"},{"schema":"b"}' },
    { because: 'an object that is cut off', text: '{"schema":"a"' },
    { because: 'a text that is cut off', text: '{"schema":"a' },
    { because: 'the wrong bracket', text: '{"schema":["a"}}' },
    { because: 'a missing comma', text: '{"a":1 "b": 2}' },
    { because: 'an object in braces after two of JSON', text: '{"schema":"a"}{"schema":"b"}{a: 1}' },
    { because: 'an unknown escape', text: String.raw`{"a":"\q"}` },
    { because: 'half an escape', text: String.raw`{"a":"\u12"}` },
    { because: 'broken YAML', text: 'a: [1\nb: }' },
    { because: 'a custom tag', text: 'a: !!js/function "x"\nb: *nowhere\n' },
    { because: 'a NUL byte', text: '{"a":1}\u0000' },
  ])('$because', ({ text }) => {
    expect(splitText(text).error).toMatch(/^CatalogInvalid "never": catalog file catalog\.json/);
  });

  it('if the first object is neither JSON nor YAML, the error is that of the JSON', () => {
    expect(splitText('{"schema": "a" "b"}').error).toContain('document 1: the JSON cannot be parsed');
  });

  it('a file whose first object is long beyond reason is JSON alone', () => {
    const text = Buffer.from(`{"a":"${'x'.repeat(9 << 20)}", b: 1}`);
    expect(split(text, [1 << 20]).error).toContain('the JSON cannot be parsed');
  });

  it('the error names the document, and the documents before it are yielded', () => {
    const { lines, error } = splitText('{"schema":"a"}\n{"schema":"b"}\n{"schema" "c"}\n');
    expect(lines).toHaveLength(2);
    expect(error).toContain('document 3');
  });
});

describe('unchanged data', () => {
  it('integers beyond 2^53, exponents, escapes and duplicate keys are kept', () => {
    const line = String.raw`{"n":9007199254740993,"e":1.50E+3,"s":"\u0041\/","n":12345678901234567890}`;
    expect(splitText(line).lines).toEqual([line]);
    expect(splitText(line).values).toEqual([{ n: 12345678901234567890n, e: 1500, s: 'A/' }]);
  });

  it('bytes that are no UTF-8 become replacement characters', () => {
    const { lines } = split(Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]));
    expect(lines).toEqual(['{"a":"\uFFFD\uFFFD"}']);
  });

  it('keys with a meaning in JavaScript are ordinary keys', () => {
    const [value] = splitText('{"__proto__":{"polluted":1},"constructor":2}').values as [Record<string, unknown>];
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('manifests stay in the line, and are left out of the value', () => {
    const line =
      '{"properties":[{"value":{"data":"eA=="},"type":"olm.bundle.object"},{"type":"olm.gvk","value":{"kind":"A"}}]}';
    const { lines, values } = splitText(line);
    expect(lines).toEqual([line]);
    expect(values).toEqual([
      {
        properties: [
          { value: {}, type: 'olm.bundle.object' },
          { type: 'olm.gvk', value: { kind: 'A' } },
        ],
      },
    ]);
  });
});

describe('limits', () => {
  const small: StreamLimits = { maxDocumentBytes: 100, maxParsedBytes: 80, maxDepth: 5, maxNodes: 20 };
  it.each([
    { because: 'a large object', text: `{"a":"${'x'.repeat(200)}"}`, error: 'larger than 100 bytes' },
    { because: 'a large object that never ends', text: `{"a":"${'x'.repeat(200)}`, error: 'larger than 100 bytes' },
    {
      because: 'a large object of which all is parsed',
      text: `{"a":"${'x'.repeat(90)}"}`,
      error: 'more than 80 bytes',
    },
    { because: 'a large YAML document', text: `a: ${'x'.repeat(200)}\n`, error: 'larger than 80 bytes' },
    { because: 'deep nesting', text: '{"a":[[[[[1]]]]]}', error: 'deeper than 5 levels' },
  ])('$because', ({ text, error }) => {
    expect(splitText(text, small).error).toContain(error);
  });

  it('a YAML document that aliases make a hundred times as long is refused', () => {
    const text = `a: &x ${'x'.repeat(100_000)}\nl:\n${'- *x\n'.repeat(100)}`;
    expect(splitText(text).error).toContain('repeats values by aliases');
  });

  it('a document may be exactly as large and deep as the limits', () => {
    expect(splitText('{"a":[[[[1]]]]}', small).lines).toEqual(['{"a":[[[[1]]]]}']);
    expect(splitText(`{"a":"${'x'.repeat(72)}"}`, small).lines).toHaveLength(1);
  });
});

describe('any chunks of any text', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });
  const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

  it('splitting returns the documents that were written', () => {
    const documents = fc.array(fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), space));
    fc.assert(
      fc.property(documents, sizes, (written, chunking) => {
        const text = written
          .map(([value, pretty, gap]) => JSON.stringify(value, undefined, pretty ? 4 : undefined) + gap)
          .join('');
        const expected = written.map(([value]) => JSON.stringify(value));
        expect(split(Buffer.from(text), chunking).lines).toEqual(expected);
      }),
    );
  });

  it('a text is accepted if and only if JSON.parse or the YAML parser accepts it', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"\\n"',
      '"\\u00e4"',
      '1',
      '-0.5e3',
      'true',
      'null',
      ' ',
      '00',
      '"',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = `{${tokens.join('')}`;
        const outcome = splitText(text);
        const isOne = outcome.error === undefined && outcome.lines.length === 1;
        if (!text.slice(1).includes('{') || isOne) expect(isOne).toBe(parses(text));
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it('the chunking does not matter, whatever the bytes', () => {
    const text = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.stringMatching(/^[-{}[\]":,a\\0 \n#]{0,60}$/).map((value) => Buffer.from(value)),
      fc
        .array(fc.constantFrom('a: 1\n', '---\n', '--- \n', '# c\n', '{"b":2}\n', '...\n', '\uFEFF', '  '), {
          maxLength: 8,
        })
        .map((parts) => Buffer.from(parts.join(''))),
    );
    fc.assert(
      fc.property(text, sizes, (bytes, chunking) => {
        expect(split(bytes, chunking)).toEqual(split(bytes));
      }),
      { numRuns: runsOf(1000) },
    );
  });
});

function parses(text: string): boolean {
  try {
    return parseYaml(text).length === 1;
  } catch {
    return false;
  }
}
