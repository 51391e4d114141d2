/** Every view, for every state of the objects and every answer: it shows something, it never throws, and it is harmless. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { Action } from './actions.ts';
import { anyObjects } from './testing/random-objects.ts';
import { answersTo } from './testing/random-answers.ts';
import { isProblem, type Parameters, type View, type Visible, type VisibleObjects } from './view.ts';
import { chooseView, VIEWS } from './views.ts';

const NOW = new Date('2026-01-02T00:00:00Z');

const reach = fc.constantFrom<Visible['reach'][keyof Visible['reach']]>('all', [], ['ops'], ['ops', 'dev']);
const anyVisible: fc.Arbitrary<Visible> = fc
  .tuple(
    anyObjects,
    fc.boolean(),
    fc.record({
      subscriptions: reach,
      revisions: reach,
      catalogs: reach,
      registryPolicies: reach,
      events: reach,
      leases: reach,
    }),
  ) // prettier-ignore
  .map(([objects, readOnly, reached]) => ({
    ...objects,
    reach: reached,
    readOnly,
    systemNamespace: 'slipway-system',
    now: NOW,
  }));

/** Values for the parameters of any view: those that name an object of the cluster, and hostile ones. */
const anyParameters: fc.Arbitrary<Parameters> = fc.record(
  {
    namespace: fc.constantFrom('ops', 'dev', '\u202E', ''),
    name: fc.constantFrom('gadget', 'lamp', 'gadget-1', '<script>'),
    version: fc.constantFrom('1.0.0', '1.1.0', '9.9.9', '\uD800', 'x'.repeat(600)),
    catalog: fc.constantFrom('team', 'other', 'none'),
    package: fc.constantFrom('thing', '__proto__', '<b>'),
    channel: fc.constantFrom('stable', 'none', '*'),
    search: fc.constantFrom('thing', '\u0000', 'x'.repeat(600)),
    category: fc.constantFrom('Database', '<b>'),
    cursor: fc.constantFrom('0 thing team', 'x', '\uFFFF'),
    warnings: fc.constantFrom('true', 'no'),
    customResources: fc.constantFrom('Delete', 'Keep'),
    objects: fc.constantFrom('Orphan', '__proto__'),
    approval: fc.constantFrom('Manual', 'Never'),
    serviceAccountName: fc.constantFrom('installer', '../x'),
    watchNamespaces: fc.constantFrom('ops,dev', ',,', 'Ops'),
  },
  { requiredKeys: [] },
);

/** A view with all that it needs. */
function scenes(view: View<object>) {
  return fc.tuple(anyVisible, anyParameters, fc.nat()).chain(([visible, others, pick]) => {
    const parameters = { ...others, ...placeIn(view, visible, pick) };
    const ask = view.ask?.(visible, parameters) ?? {};
    return answersTo(ask).map((asked) => ({ visible, parameters, asked }));
  });
}

/** Mostly an object that the view is about. */
function placeIn(view: View<object>, { subscriptions, revisions }: Visible, pick: number): Parameters {
  const objects = view.path.startsWith('/revisions') ? revisions : subscriptions;
  const { metadata } = objects[pick % (objects.length + 1)] ?? {};
  return metadata === undefined || !view.path.includes(':name')
    ? {}
    : { namespace: metadata.namespace, name: metadata.name };
}

/** Every text of a model with its path. */
function textsIn(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => textsIn(child, `${path}.${key}`));
}

/** Texts of several lines: YAML, Markdown, shell lines and the fields of acts. */
const MANY_LINES = /\.(yaml|description|command)$|\.action(\.|$)/;

describe.each(VIEWS)('the view $path', (view) => {
  test('shows something for every state of the objects, as one or more harmless lines', () => {
    fc.assert(
      fc.property(scenes(view), ({ visible, parameters, asked }) => {
        const model = view.show(visible, parameters, asked);
        if (isProblem(model)) expect(model.message).not.toBe('');
        else expect(model).toMatchObject({ title: expect.stringMatching(/./) as string });
        for (const [path, text] of textsIn(model)) {
          if (path.includes('.action.')) continue;
          if (MANY_LINES.test(path)) expect(text, path).not.toMatch(/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
          else expect(text, path).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
          expect(text.length, path).toBeLessThanOrEqual(120_000);
        }
      }),
      { numRuns: runsOf(30) },
    );
  });

  test('of one namespace does not depend on objects of another one', () => {
    fc.assert(
      fc.property(scenes(view), ({ visible, parameters, asked }) => {
        if (view.isOfNamespace !== true) return;
        const isSeen = ({ metadata }: { readonly metadata: { readonly namespace?: string } }): boolean =>
          metadata.namespace === undefined || metadata.namespace === parameters['namespace'];
        const [subscriptions, revisions, events] = [visible.subscriptions, visible.revisions, visible.events];
        const own = { ...visible, subscriptions: subscriptions.filter(isSeen), revisions: revisions.filter(isSeen), events: events.filter(isSeen) }; // prettier-ignore
        expect(view.show(own, parameters, asked)).toEqual(view.show(visible, parameters, asked));
        expect(view.ask?.(own, parameters)).toEqual(view.ask?.(visible, parameters));
      }),
      { numRuns: runsOf(100) },
    );
  });

  test('asks for rights alone if it says so, and is not held back by a pause then', () => {
    fc.assert(
      fc.property(scenes(view), ({ visible, parameters }) => {
        if (view.asksRightsOnly !== true) return;
        expect(Object.keys(view.ask?.(visible, parameters) ?? {}).filter((question) => question !== 'access')).toEqual([]); // prettier-ignore
      }),
      { numRuns: runsOf(30) },
    );
  });

  test('offers only acts that the server accepts', () => {
    fc.assert(
      fc.property(scenes(view), ({ visible, parameters, asked }) => {
        for (const { action, allowed, command } of buttonsIn(view.show(visible, parameters, asked))) {
          if (allowed !== false) expect(Action.safeParse(action)).toMatchObject({ success: true });
          expect(command).toMatch(/^kubectl /);
        }
      }),
      { numRuns: runsOf(30) },
    );
  });

  test('reads only the kinds that it names', () => {
    fc.assert(
      fc.property(scenes(view), ({ visible, parameters, asked }) => {
        const { read, seen } = watched(visible);
        view.ask?.(seen, parameters);
        view.show(seen, parameters, asked);
        expect([...read].filter((kind) => !view.reads.includes(kind))).toEqual([]);
      }),
      { numRuns: runsOf(20) },
    );
  });

  test('shows the same for the same objects, at whatever time', () => {
    fc.assert(
      fc.property(scenes(view), ({ visible, parameters, asked }) => {
        const later = { ...visible, now: new Date(NOW.getTime() + 1000) };
        expect(view.show(later, parameters, asked)).toEqual(view.show(visible, parameters, asked));
      }),
      { numRuns: runsOf(20) },
    );
  });
});

const KINDS = ['subscriptions', 'revisions', 'catalogs', 'registryPolicies', 'events', 'leases'] as const;

/** The same objects, and which kinds of them are read. */
function watched(visible: Visible): { readonly read: Set<keyof VisibleObjects>; readonly seen: Visible } {
  const read = new Set<keyof VisibleObjects>();
  const seen = { ...visible };
  for (const kind of KINDS)
    Object.defineProperty(seen, kind, {
      get: () => {
        read.add(kind);
        return visible[kind];
      },
    });
  return { read, seen };
}

interface DrawnButton {
  readonly action: unknown;
  readonly allowed: unknown;
  readonly command: string;
}

function buttonsIn(value: unknown): readonly DrawnButton[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('action' in value && 'command' in value) return [value as DrawnButton];
  return Object.values(value).flatMap(buttonsIn);
}

test('the overview, follows the cluster without a pause', () => {
  expect(VIEWS.filter(({ asksRightsOnly }) => asksRightsOnly === true).map(({ path }) => path)).toEqual(['/overview']);
});

describe('the view of an address', () => {
  const view = (path: string): string | undefined => {
    const url = new URL(path, 'http://console');
    return chooseView(url.pathname, url.searchParams)?.view.path;
  };

  test.each([
    { path: '/overview', chosen: '/overview' },
    { path: '/subscriptions/ops/gadget', chosen: '/subscriptions/:namespace/:name' },
    { path: '/subscriptions/ops/gadget/graph?version=1.0.0', chosen: '/subscriptions/:namespace/:name/graph' },
    { path: '/catalog', chosen: '/catalog' },
    { path: '/catalog/team/a%2Fb', chosen: '/catalog/:catalog/:package' },
    { path: '/subscriptions/ops', chosen: undefined },
    { path: '/subscriptions/ops/gadget/secrets', chosen: undefined },
    { path: '/catalog/team/%E0%A4%A', chosen: undefined },
    { path: `/catalog/team/${'x'.repeat(700)}`, chosen: undefined },
    { path: '/', chosen: undefined },
  ])('$path', ({ path, chosen }) => {
    expect(view(path)).toBe(chosen);
  });

  test('has the parameters of the path, which those of the query cannot replace, and known ones of the query', () => {
    const query = new URLSearchParams('version=1.0.0&name=other&evil=1&version=2');
    expect(chooseView('/subscriptions/ops/a%20b/graph', query)?.parameters).toEqual({
      namespace: 'ops',
      name: 'a b',
      version: '1.0.0',
    });
  });

  test('every view has a path of its own', () => {
    expect(new Set(VIEWS.map(({ path }) => path)).size).toBe(VIEWS.length);
  });
});
