import { describe, expect, test } from 'vitest';
import type { CatalogPackage, ChannelEntry, Deprecation } from '../../../../catalog/model.ts';
import { upgradeGraph } from '../../../../resolver/graph.ts';
import { useWorkplace } from '../../testing/slipway.ts';
import { drawDot } from './dot.ts';
import { graphOf, type DrawnGraph } from '../../../../report/upgrade-graph.ts';
import { drawMermaid } from './mermaid.ts';
import { placeGraph } from './places.ts';
import { layRails } from './rails.ts';
import { drawSvg } from './svg.ts';
import { drawText } from './text.ts';

const workplace = useWorkplace();

type Entry = Partial<ChannelEntry> & { readonly name: string };

interface Content {
  readonly channels: Readonly<Record<string, readonly Entry[]>>;
  /** Bundles that the catalog lacks. */
  readonly lacking?: readonly string[];
  readonly deprecations?: readonly Deprecation[];
}

/** A package whose bundles are named by their versions: `1.0.0`. */
function packageOf({ channels, lacking = [], deprecations = [] }: Content): CatalogPackage {
  const names = new Set(Object.values(channels).flatMap((entries) => entries.map(({ name }) => name)));
  return {
    name: 'gadget',
    defaultChannel: 'stable',
    channels: Object.entries(channels).map(([name, entries]) => ({
      name,
      entries: entries.map((entry) => ({ skips: [], ...entry })),
    })),
    bundles: [...names]
      .filter((name) => !lacking.includes(name))
      .map((name) => ({ name, package: 'gadget', version: name, image: '', properties: [], relatedImages: [] })),
    deprecations,
  };
}

const CHAIN: readonly Entry[] = [
  { name: '1.0.0' },
  { name: '1.1.0', replaces: '1.0.0' },
  { name: '1.2.0', replaces: '1.1.0' },
];

/** `1.2.0 head` for each version of the first lane. */
function marksOf({ lanes }: DrawnGraph): readonly string[] {
  return (lanes[0]?.nodes ?? []).map(({ bundle, marks }) => [bundle, ...marks].join(' '));
}

function edgesOf({ lanes }: DrawnGraph): readonly string[] {
  return (lanes[0]?.edges ?? []).map(({ from, to, kind }) => `${to} ${kind} ${from}`);
}

describe('the graph of a package', () => {
  test.each([
    {
      because: 'the newest version of a chain is its head',
      content: packageOf({ channels: { stable: CHAIN } }),
      marks: ['1.2.0 head', '1.1.0', '1.0.0'],
      edges: ['1.2.0 replaces 1.1.0', '1.1.0 replaces 1.0.0'],
    },
    {
      because: 'a skipped version is marked, and an edge leads from it',
      content: packageOf({
        channels: { stable: [...CHAIN.slice(0, 2), { name: '1.2.0', replaces: '1.0.0', skips: ['1.1.0'] }] },
      }),
      marks: ['1.2.0 head', '1.1.0 skipped', '1.0.0'],
      edges: ['1.2.0 replaces 1.0.0', '1.2.0 skips 1.1.0', '1.1.0 replaces 1.0.0'],
    },
    {
      because: 'no way leads from 1.1.0 to the head',
      content: packageOf({ channels: { stable: [...CHAIN.slice(0, 2), { name: '1.2.0', skips: ['1.0.0'] }] } }),
      marks: ['1.2.0 head', '1.1.0 stranded', '1.0.0 skipped'],
      edges: ['1.2.0 skips 1.0.0', '1.1.0 replaces 1.0.0'],
    },
    {
      because: 'a range leads from every version in it, and one edge stands for all',
      content: packageOf({
        channels: {
          stable: [{ name: '1.0.0' }, { name: '1.1.0' }, { name: '1.2.0', skipRange: '<1.2.0', skips: ['1.1.0'] }],
        },
      }),
      marks: ['1.2.0 head', '1.1.0 skipped', '1.0.0'],
      edges: ['1.2.0 skips 1.1.0', '1.2.0 skipRange 1.0.0'],
    },
    {
      because: 'a version that is replaced and that no bundle stands for is shown below the one that replaces it',
      content: packageOf({ channels: { stable: [{ name: '1.0.0', replaces: '0.9.0' }, ...CHAIN.slice(1)] } }),
      marks: ['1.2.0 head', '1.1.0', '1.0.0', '0.9.0 missing'],
      edges: ['1.2.0 replaces 1.1.0', '1.1.0 replaces 1.0.0', '1.0.0 replaces 0.9.0'],
    },
    {
      because: 'an entry without bundle is missing, and strands the versions below it',
      content: packageOf({ channels: { stable: CHAIN }, lacking: ['1.1.0'] }),
      marks: ['1.2.0 head', '1.1.0 missing', '1.0.0 stranded'],
      edges: ['1.2.0 replaces 1.1.0'],
    },
    {
      because: 'a deprecated version has its mark beside others',
      content: packageOf({
        channels: { stable: CHAIN },
        deprecations: [{ schema: 'olm.bundle', name: '1.2.0', message: 'use 2' }],
      }),
      marks: ['1.2.0 head deprecated', '1.1.0', '1.0.0'],
      edges: ['1.2.0 replaces 1.1.0', '1.1.0 replaces 1.0.0'],
    },
    {
      because: 'an entry that names itself makes no edge',
      content: packageOf({ channels: { stable: [{ name: '1.0.0', replaces: '1.0.0', skips: ['1.0.0'] }] } }),
      marks: ['1.0.0 head skipped'],
      edges: [],
    },
    { because: 'a channel may be empty', content: packageOf({ channels: { stable: [] } }), marks: [], edges: [] },
  ])('has marks and edges: $because', ({ content, marks, edges }) => {
    const graph = graphOf(content);
    expect({ marks: marksOf(graph), edges: edgesOf(graph) }).toEqual({ marks, edges });
  });

  test('holds no skipRange against each version: thousands of them would be compared with thousands of versions', () => {
    const entries = Array.from({ length: 50 }, (_, at) => ({ name: `1.0.${at}`, skipRange: '>9.0.0' }));
    const content = packageOf({ channels: { stable: entries } });
    let compared = 0;
    for (const { skipRange } of upgradeGraph(content).channels.get('stable')?.entries ?? []) {
      if (skipRange?.ok === true) Object.assign(skipRange.value, { includes: () => (compared += 1) < 0 });
    }
    graphOf(content);
    expect(compared).toBe(0);
  });

  test('has the default channel first, the others by name, or only those that are named', () => {
    const content = packageOf({ channels: { zeta: CHAIN, beta: CHAIN, stable: CHAIN } });
    const namesOf = ({ lanes }: DrawnGraph): readonly string[] => lanes.map(({ channel }) => channel);
    expect(namesOf(graphOf(content))).toEqual(['stable', 'beta', 'zeta']);
    expect(namesOf(graphOf(content, ['zeta']))).toEqual(['zeta']);
  });
});

describe('rails', () => {
  const draw = (count: number, joints: Parameters<typeof layRails>[1]): readonly string[] => {
    const { rows, between } = layRails(count, joints);
    return rows.flatMap((row, at) => [`o${row}`.trimEnd(), (between[at] ?? '').trimEnd()]).slice(0, -1);
  };
  test.each([
    { because: 'neighbours need no rail', count: 2, joints: [{ row: 0, from: [1] }], drawn: ['o', '│', 'o'] },
    { because: 'rows without an edge are not joined', count: 2, joints: [], drawn: ['o', '', 'o'] },
    {
      because: 'a rail passes the rows that it does not join',
      count: 3,
      joints: [{ row: 0, from: [2] }],
      drawn: ['o─╮', '  │', 'o │', '  │', 'o─╯'],
    },
    {
      because: 'one rail leads from several rows to one',
      count: 4,
      joints: [{ row: 0, from: [2, 3] }],
      drawn: ['o─╮', '  │', 'o │', '  │', 'o─┤', '  │', 'o─╯'],
    },
    {
      because: 'a line to an outer rail crosses an inner one, which stays in front',
      count: 4,
      joints: [
        { row: 0, from: [2] },
        { row: 1, from: [3] },
      ],
      drawn: ['o─╮', '  │', 'o─│─╮', '  │ │', 'o─╯ │', '    │', 'o───╯'],
    },
    {
      because: 'an upgrade may lead downwards in the list',
      count: 3,
      joints: [{ row: 2, from: [0] }],
      drawn: ['o─╮', '  │', 'o │', '  │', 'o─╯'],
    },
  ])('join rows: $because', ({ count, joints, drawn }) => {
    expect(draw(count, joints)).toEqual(drawn);
  });

  test('are counted if too many would run side by side', () => {
    const joints = Array.from({ length: 20 }, (_, row) => ({ row, from: [row + 20] }));
    const { omitted, rows } = layRails(40, joints);
    expect(omitted).toBe(8);
    expect(Math.max(...rows.map(({ length }) => length))).toBe(24);
  });

  test('of a thousand versions that each skip all others are drawn as far as there is room', () => {
    const joints = Array.from({ length: 1000 }, (_, row) => ({
      row,
      from: Array.from({ length: 999 - row }, (_, below) => row + below + 1),
    }));
    const { rows, omitted } = layRails(1000, joints);
    expect({ rows: rows.length, omitted }).toEqual({ rows: 1000, omitted: 998 - 12 });
  });
});

describe('places on paper', () => {
  const content = packageOf({
    channels: {
      stable: [...CHAIN, { name: '1.3.0', replaces: '1.0.0', skips: ['1.1.0', '1.2.0'], skipRange: '<1.3.0' }],
      alpha: [{ name: '1.2.0' }, { name: '2.0.0', replaces: '1.2.0' }],
    },
  });
  const picture = placeGraph(graphOf(content));

  test('lie inside of their lane, and lanes below each other inside of the picture', () => {
    let bottom = 0;
    for (const { top, height, nodes, edges } of picture.lanes) {
      expect(top).toBeGreaterThanOrEqual(bottom);
      bottom = top + height;
      const heights = [...nodes.map(({ y }) => y), ...edges.map(({ start, bow }) => start[1] + bow)];
      for (const y of heights) expect(y > top && y < bottom).toBe(true);
      for (const { x } of nodes) expect(x > 0 && x < picture.width).toBe(true);
    }
    expect(bottom).toBeLessThanOrEqual(picture.height);
  });

  test('no two versions of a lane share a place, and the same version has the same column in each lane', () => {
    const columns = new Map<string, number>();
    for (const { nodes } of picture.lanes) {
      expect(new Set(nodes.map(({ x }) => x)).size).toBe(nodes.length);
      expect(nodes.map(({ x }) => x)).toEqual(nodes.map(({ x }) => x).toSorted((a, b) => a - b));
      for (const { node, x } of nodes) expect(columns.get(node.bundle) ?? x).toBe(x);
      for (const { node, x } of nodes) columns.set(node.bundle, x);
    }
  });
});

/** Whatever could end a label, start an element, a directive or an escape sequence. */
const EVIL = '"]; end\nclick a "javascript:x" <script>x</script> \\" ${x} `x` %%{init} &lt; \u001b[31m\u202E -->';

describe('names of others', () => {
  const content: CatalogPackage = {
    name: EVIL,
    defaultChannel: EVIL,
    channels: [{ name: EVIL, entries: [{ name: EVIL, skips: [], replaces: `${EVIL}2`, skipRange: EVIL }] }],
    bundles: [{ name: EVIL, package: EVIL, version: EVIL, image: EVIL, properties: [], relatedImages: [] }],
    deprecations: [
      { schema: 'olm.package', message: EVIL },
      { schema: 'olm.channel', name: EVIL, message: EVIL },
      { schema: 'olm.bundle', name: EVIL, message: EVIL },
    ],
  };
  const graph = graphOf(content);

  test('make no lines of their own in text, and no characters that a terminal acts on', () => {
    const text = drawText(graph);
    expect(text).not.toMatch(/[^\P{C}\n]/u);
    expect(text.split('\n').filter((line) => line.startsWith('click'))).toEqual([]);
    expect(text).toContain('<script>');
  });

  test('are only text in Mermaid: every line has a form that this program writes', () => {
    const label = String.raw`"(?:[\p{L}\p{N} .,:+_-]|#\d+;|<br/>)*"`;
    const forms = [
      /^flowchart LR$/,
      new RegExp(String.raw`^  subgraph c\d+\[${label}\]$`, 'u'),
      /^    direction LR$/,
      new RegExp(String.raw`^    c\d+v\d+\[${label}\](?::::[a-z]+)?$`, 'u'),
      /^    c\d+v\d+ (?:-->|-\.->)\|(?:replaces|skips|skipRange)\| c\d+v\d+$/,
      /^  end$/,
      /^  classDef [a-z]+ [\w#:,. -]+$/,
      /^$/,
    ];
    for (const line of drawMermaid(graph).split('\n')) {
      expect(
        forms.some((form) => form.test(line)),
        line,
      ).toBe(true);
    }
  });

  test('end no quotes in DOT', () => {
    const bare = drawDot(graph).replaceAll(/"(?:[^"\\\n]|\\["\\n])*"/g, '');
    expect(bare).not.toMatch(/["\\<]|script|click/);
  });

  test('make no elements, attributes or entities of their own in SVG', () => {
    const svg = drawSvg(graph);
    const elements = [...svg.matchAll(/<\/?([a-z]+)/g)].map(([, name]) => name);
    expect(new Set(elements)).toEqual(
      new Set(['svg', 'title', 'style', 'defs', 'marker', 'path', 'rect', 'text', 'circle']),
    );
    const text = svg.replace(/<style>[^]*?<\/style>/, '').replaceAll(/<[^<>]*>/g, '');
    expect(text).not.toMatch(/[<>"']|&(?!#\d+;)/);
    expect(svg).not.toMatch(/[^\P{C}\n]/u);
  });
});

const CATALOG = [
  { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' },
  {
    schema: 'olm.channel',
    package: 'gadget',
    name: 'stable',
    entries: [{ name: 'gadget.v1.0.0' }, { name: 'gadget.v1.1.0', replaces: 'gadget.v1.0.0' }],
  },
  ...['1.0.0', '1.1.0'].map((version) => ({
    schema: 'olm.bundle',
    package: 'gadget',
    name: `gadget.v${version}`,
    image: `registry.example/gadget:v${version}`,
    properties: [{ type: 'olm.package', value: { packageName: 'gadget', version } }],
  })),
];

describe('catalog graph', () => {
  const write = (): void =>
    workplace().write(new Map([['catalog/catalog.json', CATALOG.map((one) => JSON.stringify(one)).join('\n')]]));
  const GOLDEN = [
    'Package gadget',
    '',
    'stable (default)',
    '  ●  gadget.v1.1.0  1.1.0  head',
    '  │  replaces gadget.v1.0.0',
    '  ○  gadget.v1.0.0  1.0.0',
    '',
    'Upgrades lead upwards: ○ version, ● head: upgrades end here',
    '',
  ].join('\n');

  test('prints text in a pipe, and lines cut to the width of a terminal', async () => {
    write();
    expect(await workplace().run('catalog', 'graph', 'catalog', 'gadget')).toEqual({
      code: 0,
      stdout: GOLDEN,
      stderr: '',
    });
    const { stdout } = await workplace().runWith({ columns: 20 }, 'catalog', 'graph', 'catalog', 'gadget');
    expect(stdout).toContain('\n  ●  gadget.v1.1.0 …\n');
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBe(20);
  });

  test.each([
    { format: 'mermaid', begins: 'flowchart LR\n' },
    { format: 'dot', begins: 'digraph "gadget" {\n' },
    { format: 'svg', begins: '<svg xmlns=' },
  ])('writes $format as it is, whatever the width of the terminal', async ({ format, begins }) => {
    write();
    const args = ['catalog', 'graph', 'catalog', 'gadget', '-o', format];
    const { stdout } = await workplace().run(...args);
    expect(stdout.startsWith(begins)).toBe(true);
    expect((await workplace().runWith({ columns: 20 }, ...args)).stdout).toBe(stdout);
  });

  test('has the graph as data', async () => {
    write();
    expect(await workplace().json('catalog', 'graph', 'catalog', 'gadget')).toEqual({
      source: 'catalog',
      package: 'gadget',
      defaultChannel: 'stable',
      lanes: [
        {
          channel: 'stable',
          isDefault: true,
          nodes: [
            { bundle: 'gadget.v1.1.0', version: '1.1.0', marks: ['head'] },
            { bundle: 'gadget.v1.0.0', version: '1.0.0', marks: [] },
          ],
          edges: [{ from: 'gadget.v1.0.0', to: 'gadget.v1.1.0', kind: 'replaces' }],
        },
      ],
    });
  });

  test.each([
    { because: 'the package does not exist', args: ['widget'], message: /has no package "widget"\n {2}It has gadget;/ },
    {
      because: 'the channel does not exist',
      args: ['gadget', '--channel', 'beta'],
      message: /has no channel "beta"\n {2}It has stable\n/,
    },
  ])('is refused with the names that exist: $because', async ({ args, message }) => {
    write();
    const { code, stderr } = await workplace().run('catalog', 'graph', 'catalog', ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    expect(stderr).toMatch(/^slipway: InputInvalid: /);
  });
});
