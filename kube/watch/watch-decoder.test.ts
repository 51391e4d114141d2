import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatJson } from '../../api/json.ts';
import { parseBody } from '../client/json-body.ts';
import { parseDiscovery } from '../client/parse-discovery.ts';
import { decodeWatch, type WatchEvent } from './watch-decoder.ts';

async function decode(chunks: readonly Buffer[]): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of decodeWatch(streamOf(chunks))) events.push(event);
  return events;
}

async function* streamOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

async function* endless(): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(1024 * 1024, 'x');
}

function list(items: unknown): string {
  return JSON.stringify({ kind: 'APIGroupDiscoveryList', items });
}

describe('watch events', () => {
  test('watch events are the same however the network cuts them, in the middle of characters too', async () => {
    // Our objects have no field of that name; it is dropped.
    const field = fc.string().filter((name) => name !== '__proto__');
    const event = fc.record({
      type: fc.constantFrom('ADDED', 'BOOKMARK'),
      object: fc.dictionary(field, fc.string({ unit: 'grapheme' })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.array(fc.integer({ min: 1, max: 40 })), async (events, sizes) => {
        const bytes = Buffer.from(events.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
        const chunks: Buffer[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % Math.max(1, sizes.length)] ?? 7;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(JSON.stringify(await decode(chunks))).toBe(JSON.stringify(events));
      }),
    );
  });

  test.each([
    { line: '{"type":"ADDED"}', because: 'it has no object' },
    { line: '{"type":"NEW","object":{}}', because: 'its type is unknown' },
    { line: '{"type":"ADDED","obj', because: 'it is cut off' },
    { line: '[]', because: 'it is no event' },
  ])('an invalid line of a watch is refused, not skipped: $because', async ({ line }) => {
    await expect(decode([Buffer.from(`${line}\n`)])).rejects.toThrow();
  });

  test('fields that are not read are left out of each event', async () => {
    const line = '{"type":"ADDED","object":{"metadata":{"name":"x","managedFields":[{}]}}}\n';
    const { value } = await decodeWatch(streamOf([Buffer.from(line)]), ['managedFields']).next();
    expect(value).toEqual({ type: 'ADDED', object: { metadata: { name: 'x', managedFields: null } } });
  });

  test('a line without end does not fill the memory', async () => {
    await expect(decodeWatch(endless()).next()).rejects.toThrow('larger than');
  });
});

test('numbers of any size survive encoding and decoding', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.integer(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
      (value) => {
        const text = formatJson({ value });
        expect(formatJson(parseBody(text))).toBe(text);
      },
    ),
  );
});

describe('discovery documents', () => {
  test('unknown and missing fields of a discovery document do no harm', () => {
    const kinds = parseDiscovery([
      list([
        {
          versions: [
            {
              version: 'v1',
              resources: [{ resource: 'pods', responseKind: { kind: 'Pod' }, scope: 'Namespaced', future: 1 }],
            },
          ],
        },
        { metadata: { name: 'empty.example.com' } },
        { metadata: { name: 'odd.example.com' }, versions: [{ version: 'v1', resources: [{ resource: 'bindings' }] }] },
      ]),
    ]);
    expect(kinds.all.map(({ kind }) => kind)).toEqual(['Pod']);
    expect(kinds.find({ apiVersion: '__proto__', kind: 'constructor' })).toBeUndefined();
  });

  test.each(['null', '[]', '{"kind":"APIGroupList","groups":[]}', list({}), list([{ versions: 'v1' }]), '{'])(
    'any other document is refused as discovery, or every kind would seem to be gone: %s',
    (body) => {
      expect(() => parseDiscovery([body])).toThrow();
    },
  );
});
