/** A catalog and names that attack the page: scripts, images, right-to-left overrides, control characters, giant texts. */
import type { CatalogModel, OverviewModel, PackageModel } from '../../../data/models.ts';
import { overviewModel } from './operators.ts';
import { packageModel } from './catalog.ts';

/** Each sets `window.pwned` if the page runs it. */
const SCRIPTS = [
  '<script>window.pwned = 1</script>',
  '<img src=x onerror="window.pwned = 1">',
  '<svg onload="window.pwned = 1"><script>window.pwned = 1</script></svg>',
  '<a href="javascript:window.pwned = 1">link</a>',
  '<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>',
  '<form action="https://evil.example.com"><button formaction="javascript:window.pwned = 1">go</button></form>',
  '<style>body { display: none }</style>',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.pwned = 1"></style></mglyph></table></mtext></math>',
];

const ODD = 'name\u202Egnp.exe\u0007\u0000\u200B';
const HOSTILE_NAME = `${SCRIPTS.join('')}${ODD}`;
/** As long as texts of models can be; the server cuts longer ones. Descriptions are longer, and drawn as Markdown. */
const LONG = 'A'.repeat(4000);
const GIANT = 'A'.repeat(1_000_000);

const MARKDOWN = [
  ...SCRIPTS,
  '[harmless words](javascript:window.pwned=1)',
  '[data](data:text/html,<script>window.pwned=1</script>)',
  '![picture](https://evil.example.com/pixel.png)',
  '[x]: https://evil.example.com "onmouseover=window.pwned=1"',
  '<https://evil.example.com/?`onerror=window.pwned=1`>',
  '```html\n<script>window.pwned = 1</script>\n```',
  '#### Heading of a deep level',
  'A fine sentence with **bold** words.',
].join('\n\n');

export const hostilePackage: PackageModel = {
  ...packageModel,
  title: HOSTILE_NAME,
  package: HOSTILE_NAME,
  catalog: HOSTILE_NAME,
  provider: HOSTILE_NAME,
  icon: 'https://evil.example.com/icon.svg',
  description: `${MARKDOWN}\n\n${GIANT}`,
  keywords: [HOSTILE_NAME],
  deprecation: HOSTILE_NAME,
  needs: [HOSTILE_NAME],
  facts: [{ name: HOSTILE_NAME, values: [HOSTILE_NAME] }],
  links: [{ label: HOSTILE_NAME, href: 'javascript:window.pwned=1' }],
  channels: [{ name: HOSTILE_NAME, isDefault: true, isChosen: true, versions: 1, href: 'javascript:window.pwned=1' }],
};

export const hostileCatalog: CatalogModel = {
  title: HOSTILE_NAME,
  notices: [{ tone: 'bad', text: HOSTILE_NAME }],
  search: '',
  found: 1,
  tiles: [
    {
      href: 'javascript:window.pwned=1',
      catalog: HOSTILE_NAME,
      package: HOSTILE_NAME,
      title: HOSTILE_NAME,
      provider: LONG,
      description: LONG,
      categories: [HOSTILE_NAME],
      icon: '//evil.example.com/icon.svg',
      installed: [],
    },
  ],
  categories: [{ name: HOSTILE_NAME, count: 1, isChosen: false, href: 'https://evil.example.com/' }],
  catalogs: [{ name: HOSTILE_NAME, state: { word: HOSTILE_NAME, tone: 'bad' }, message: HOSTILE_NAME }],
};

export const hostileOverview: OverviewModel = {
  ...overviewModel,
  title: HOSTILE_NAME,
  summary: LONG,
  operators: overviewModel.operators.map((row) => ({
    ...row,
    href: 'javascript:window.pwned=1',
    name: HOSTILE_NAME,
    message: HOSTILE_NAME,
  })),
};
