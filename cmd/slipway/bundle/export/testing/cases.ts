/** Bundles that are exported, each with another thing that an export could get wrong. */
import { makeCrd, makeFiles, WEBHOOK, type BundleParts } from '../../../../../bundles/testing/bundle.ts';

export interface ExportCase {
  readonly because: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Further arguments of `bundle export` and `bundle render`. */
  readonly args?: readonly string[];
  /** Names of CRDs whose manifest has one annotation more. */
  readonly kept?: readonly string[];
}

const OWNED = {
  customresourcedefinitions: { owned: [{ name: 'gadgets.example.com', kind: 'Gadget', version: 'v1' }] },
};
const SERVER = ['get', 'list', 'watch'];

function made(because: string, parts: BundleParts, more: Pick<ExportCase, 'args' | 'kept'> = {}): ExportCase {
  return { because, files: makeFiles(parts), ...more };
}

function configMap(name: string, text: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } };
}

export const EXPORT_CASES: readonly ExportCase[] = [
  made('all namespaces are watched', {
    clusterPermissions: [
      { serviceAccountName: 'gadget', rules: [{ apiGroups: [''], resources: ['pods'], verbs: SERVER }] },
    ],
  }),
  made('the own namespace is watched', {
    modes: ['OwnNamespace'],
    permissions: [{ serviceAccountName: 'gadget', rules: [{ apiGroups: [''], resources: ['pods'], verbs: SERVER }] }],
  }),
  made('another namespace is watched', { modes: ['SingleNamespace'] }, { args: ['--watch-namespace', 'elsewhere'] }),
  made('a CRD has an object of its kind', {
    spec: OWNED,
    objects: [
      makeCrd(),
      { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'default' }, spec: { size: 1 } },
    ],
  }),
  made('texts look like templates', {
    objects: [configMap('a', '{{ .Values.x }} {{- end }} }} {{ "{{" }}'), configMap('b', '{{`')],
  }),
  made('texts look like numbers, documents and other values of YAML', {
    objects: [
      '0x10',
      '1e3',
      'yes',
      '~',
      '---\nkind: Secret',
      'a: b\n# no comment\n',
      '123456789012345678',
      ' spaced ',
      '\u2028',
    ].map((text, at) => configMap(`odd-${at}`, text)),
  }),
  made('two objects differ only in their kinds, or in the case of a file', {
    objects: [
      configMap('same', 'x'),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'same' }, stringData: { a: 'b' } },
    ],
  }),
  made('a webhook needs a certificate', { spec: { webhookdefinitions: [WEBHOOK] } }),
  made(
    'a CRD is converted by a webhook in the namespace',
    {
      spec: {
        ...OWNED,
        webhookdefinitions: [
          {
            ...WEBHOOK,
            type: 'ConversionWebhook',
            generateName: 'cgadget.example.com',
            conversionCRDs: ['gadgets.example.com'],
            rules: undefined,
          },
        ],
      },
      objects: [makeCrd({ preserveUnknownFields: false })],
    },
    { kept: ['gadgets.example.com'] },
  ),
];
