/** A file-based catalog whose every text attacks the page that shows it. */

/** A script of the catalog sets this variable of the page if it runs. */
export const MARK = 'pwned';

const SCRIPT = `window.${MARK} = 1`;
const HOSTILE = [
  `<script>${SCRIPT}</script>`,
  `<img src=x onerror="${SCRIPT}">`,
  `<svg onload="${SCRIPT}"></svg>`,
  `[link](javascript:${SCRIPT.replaceAll(' ', '')})`,
  '![pixel](https://evil.example.com/pixel.png)',
  '<style>body{display:none}</style>',
  'name\u202Egnp.exe\u0007\u200B',
].join(' ');

/** One word that a careless page would draw for minutes; it is not alike everywhere, as bombs are refused before. */
const GIANT = giantWord(10_000_000);

function giantWord(length: number): string {
  let state = 1;
  const pieces = Array.from({ length: Math.ceil(length / 6) }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state.toString(36).padStart(7, 'x').slice(-6);
  });
  return pieces.join('').slice(0, length);
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="${SCRIPT}"><script>${SCRIPT}</script><rect width="9" height="9"/></svg>`;

/** The documents of a catalog with one package. */
export function hostileDocuments(registry: string): readonly object[] {
  return [
    {
      schema: 'olm.package',
      name: 'gadget',
      defaultChannel: 'stable',
      description: `${HOSTILE} ${GIANT}`,
      icon: { base64data: Buffer.from(SVG).toString('base64'), mediatype: 'image/svg+xml' },
    },
    { schema: 'olm.channel', name: 'stable', package: 'gadget', entries: [{ name: 'gadget.v1.0.0' }] },
    {
      schema: 'olm.deprecations',
      package: 'gadget',
      entries: [{ reference: { schema: 'olm.package' }, message: HOSTILE }],
    },
    {
      schema: 'olm.bundle',
      name: 'gadget.v1.0.0',
      package: 'gadget',
      image: `${registry}/nowhere@sha256:${'0'.repeat(64)}`,
      properties: [
        { type: 'olm.package', value: { packageName: 'gadget', version: '1.0.0' } },
        {
          type: 'olm.csv.metadata',
          value: {
            displayName: HOSTILE,
            description: `${HOSTILE}\n\n${HOSTILE}\n\n${GIANT.slice(0, 1_000_000)}`,
            provider: { name: HOSTILE, url: `javascript:${SCRIPT}` },
            keywords: [HOSTILE],
            links: [{ name: HOSTILE, url: `javascript:${SCRIPT}` }],
            maintainers: [{ name: HOSTILE, email: HOSTILE }],
            maturity: HOSTILE,
            annotations: { categories: HOSTILE, capabilities: HOSTILE, description: HOSTILE },
            crdDescriptions: {
              owned: [
                {
                  name: 'gadgets.example.com',
                  kind: 'Gadget',
                  version: 'v1',
                  displayName: HOSTILE,
                  description: HOSTILE,
                },
              ],
            },
          },
        },
      ],
    },
  ];
}
