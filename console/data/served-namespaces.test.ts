/** A Catalog that serves some namespaces alone: which ones is seen before a person subscribes, and where a version is missing. */
import { describe, expect, test } from 'vitest';
import type { CatalogSpec } from '../../api/catalog.ts';
import type { CatalogPackage } from '../../catalog/model.ts';
import { INSTALLED, READY, subscription } from '../../report/testing/objects.ts';
import type { Answer, ReadObject } from './ask.ts';
import type { PackageContent } from './content.ts';
import { graph } from './graph.ts';
import { packageView } from './package.ts';
import { namespaceAsks, ServedNamespaces } from './served-namespaces.ts';
import { subscribe } from './subscribe.ts';
import { catalogNamed, modelOf, visibleWith } from './testing/scene.ts';

const GOLD = { allowedNamespaces: { matchLabels: { tier: 'gold' } } };
const REMEDY = /asks for the labels tier=gold, which namespace ops does not have: an administrator can label the namespace, or change Catalog gold/; // prettier-ignore

const VERSIONS = ['1.0.0', '2.0.0'];
const CONTENT: CatalogPackage = {
  name: 'gadget',
  defaultChannel: 'stable',
  channels: [
    {
      name: 'stable',
      entries: [
        { name: 'gadget.v1.0.0', skips: [] },
        { name: 'gadget.v2.0.0', skips: [], replaces: 'gadget.v1.0.0' },
      ],
    },
  ],
  bundles: VERSIONS.map((version) => ({
    name: `gadget.v${version}`,
    package: 'gadget',
    version,
    image: `registry.example/gadget@sha256:${'b'.repeat(64)}`,
    properties: [],
    relatedImages: [],
  })),
  deprecations: [],
};

/** The answer of the API server about a Namespace. */
const ANSWERS: Readonly<Record<'labelled' | 'unlabelled' | 'absent' | 'hidden', Answer<ReadObject>>> = {
  labelled: { value: { object: namespaceWith({ tier: 'gold' }) } },
  unlabelled: { value: { object: namespaceWith({ tier: 'silver' }) } },
  absent: { value: {} },
  hidden: { failure: { reason: 'Forbidden', message: 'ann cannot get namespaces' } },
};

function namespaceWith(labels: Readonly<Record<string, string>>) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops', labels } };
}

function packagesOf(...catalogs: readonly string[]): ReadonlyMap<string, Answer<PackageContent>> {
  const value: PackageContent = { content: CONTENT, hasIcon: false, about: new Map() };
  return new Map(catalogs.map((name) => [name, { value }]));
}

function seen(catalog: Partial<CatalogSpec>, spec: object = {}, installed = {}) {
  const status = { installed: { ...INSTALLED, ...installed }, conditions: [READY] };
  return visibleWith({
    subscriptions: [subscription({ spec, status })],
    catalogs: [catalogNamed('gold', catalog), catalogNamed('open')],
  });
}

describe('labels of a namespace are read', () => {
  const parameters = { namespace: 'ops', name: 'gadget', catalog: 'gold', package: 'gadget' };

  test.each([graph, packageView, subscribe])(
    'for a Catalog that limits its namespaces, and for no other: $path',
    (view) => {
      // prettier-ignore
      const asks = (spec: Partial<CatalogSpec>) => (view.ask?.(seen(spec, {}, { catalog: 'gold' }), parameters) ?? {}).objects ?? []; // prettier-ignore
      expect(asks(GOLD)).toEqual([{ ref: expect.objectContaining({ kind: 'Namespace', name: 'ops' }) as object }]);
      expect(asks({})).toEqual([]);
    },
  );

  test.each(['', '..', 'Ops', 'a/b', 'x'.repeat(64)])('for no name that a namespace cannot have: %j', (namespace) => {
    expect(subscribe.ask?.(seen(GOLD), { ...parameters, namespace }).objects ?? []).toEqual([]);
  });
});

describe('the form', () => {
  const form = (answer: Answer<ReadObject>, query: object = {}) =>
    modelOf(subscribe, seen(GOLD), {
      parameters: { namespace: 'ops', name: 'other', catalog: 'gold', package: 'gadget', ...query },
      asked: { access: [true, true], packages: packagesOf('gold'), objects: [answer] },
    });

  test('names the namespace that the Catalog does not serve, with the remedy, and has no button', () => {
    const model = form(ANSWERS.unlabelled);
    expect(model.fields.filter(({ problem }) => problem !== undefined)).toMatchObject([
      { name: 'namespace', problem: expect.stringMatching(REMEDY) as string },
    ]);
    expect(model).not.toHaveProperty('button');
  });

  test('says that it cannot know whether the namespace is served if the person may not read its labels', () => {
    const model = form(ANSWERS.hidden);
    expect(model.notices.map(({ text }) => text)).toEqual([expect.stringMatching(/Catalog gold .*labels tier=gold.*namespace ops/)]); // prettier-ignore
    expect(model).toHaveProperty('button');
  });

  test.each([
    { because: 'the namespace has the labels', answer: ANSWERS.labelled },
    { because: 'there is no such namespace, which the API server says', answer: ANSWERS.absent },
  ])('has nothing to object: $because', ({ answer }) => {
    const model = form(answer);
    expect({ notices: model.notices, problems: model.fields.flatMap(({ problem }) => problem ?? []) }).toEqual({
      notices: [],
      problems: [],
    });
    expect(model).toHaveProperty('button');
  });
});

describe('the upgrade graph', () => {
  const drawn = (answer: Answer<ReadObject>, spec: object, installed: object) =>
    modelOf(graph, seen({ ...GOLD, priority: 5 }, spec, installed), {
      parameters: { namespace: 'ops', name: 'gadget', version: '2.0.0' },
      asked: { packages: packagesOf('gold', 'open'), objects: [answer] },
    });

  test.each([
    { because: 'it is the catalog of origin', spec: {}, installed: { catalog: 'gold' } },
    { because: 'the spec names it', spec: { catalog: 'gold' }, installed: { catalog: 'gold' } },
  ])('answers that the Catalog does not serve the namespace, as the manager does: $because', ({ spec, installed }) => {
    const model = drawn(ANSWERS.unlabelled, spec, installed);
    expect(model.notices.map(({ text }) => text)).toEqual([expect.stringMatching(REMEDY)]);
    expect(model.opened?.chosen).toBe(false);
    expect(model.opened?.causes.join()).toMatch(/gold may not be used in this namespace/);
  });

  test('draws another Catalog if this one does not serve the namespace', () => {
    const model = drawn(ANSWERS.unlabelled, {}, { catalog: 'elsewhere' });
    expect(model.catalog).toBe('open');
  });

  test('draws the Catalog that serves the namespace', () => {
    const model = drawn(ANSWERS.labelled, {}, { catalog: 'gold' });
    expect({ catalog: model.catalog, notices: model.notices }).toEqual({ catalog: 'gold', notices: [] });
    expect(model.opened?.chosen).toBe(true);
  });

  test('says that it cannot know whether the namespace is served if the person may not read its labels', () => {
    const model = drawn(ANSWERS.hidden, {}, { catalog: 'gold' });
    expect(model.notices.map(({ text }) => text)).toEqual([expect.stringMatching(/Catalog gold .*labels tier=gold.*namespace ops/)]); // prettier-ignore
    expect(model.opened?.chosen).toBe(true);
  });
});

describe('the page of a package', () => {
  const page = (spec: Partial<CatalogSpec>, answer: Answer<ReadObject>) =>
    modelOf(packageView, seen(spec, {}, { catalog: 'gold' }), {
      parameters: { catalog: 'gold', package: 'gadget' },
      asked: { packages: packagesOf('gold'), objects: [answer] },
    });

  test.each([
    { because: 'labels', selector: { matchLabels: { tier: 'gold' } }, words: 'tier=gold' },
    { because: 'expressions', selector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'b'] }, { key: 'frozen', operator: 'DoesNotExist' }] }, words: 'team in (a,b), !frozen' }, // prettier-ignore
  ])('names the labels of the namespaces that may use it: $because', ({ selector, words }) => {
    const { facts } = page({ allowedNamespaces: selector } as Partial<CatalogSpec>, ANSWERS.labelled);
    expect(facts).toContainEqual({ name: 'Namespaces', values: [`only those with the labels ${words}`] });
  });

  test('of a Catalog for all namespaces has no word about them', () => {
    expect(page({}, ANSWERS.unlabelled).facts.map(({ name }) => name)).not.toContain('Namespaces');
  });

  test.each([
    { because: 'it lacks the label', answer: ANSWERS.unlabelled, texts: [expect.stringMatching(REMEDY)] },
    { because: 'it has the label', answer: ANSWERS.labelled, texts: [] },
  ])('names each namespace with the operator that is not served any more: $because', ({ answer, texts }) => {
    expect(page(GOLD, answer).notices.map(({ text }) => text)).toEqual(texts);
  });
});

test('namespaces that are too many for one page are counted', () => {
  const catalog = catalogNamed('gold', GOLD);
  const names = Array.from({ length: 25 }, (_, at) => `team-${at}`);
  const asks = namespaceAsks([catalog], names);
  const served = new ServedNamespaces(asks, Array<Answer<ReadObject>>(asks.length).fill(ANSWERS.labelled));
  expect(served.notices(catalog, [...names, 'No Name']).map(({ text }) => text)).toEqual([
    'Catalog gold serves only namespaces with the labels tier=gold; the labels of 5 more namespaces are not read for this page',
  ]);
});
