/** The address of a view leads to that view, and to nothing else. */
import { expect, test } from 'vitest';
import { matchView, type AnyView } from './match-view.ts';

const view = (path: string, query: readonly string[] = []): AnyView => ({ path, query, reads: [], show: () => ({}) });
const VIEWS = [
  view('/overview'),
  view('/subscriptions/:namespace/:name'),
  view('/subscriptions/:namespace/:name/graph', ['version']),
  view('/catalog', ['search']),
  view('/catalog/:catalog/:package'),
];

test.each([
  { because: 'a word', path: '/overview', finds: '/overview', parameters: {} },
  { because: 'names', path: '/subscriptions/ops/gadget', finds: '/subscriptions/:namespace/:name', parameters: { namespace: 'ops', name: 'gadget' } }, // prettier-ignore
  { because: 'names with dots', path: '/subscriptions/ops/a.b.c', finds: '/subscriptions/:namespace/:name', parameters: { namespace: 'ops', name: 'a.b.c' } }, // prettier-ignore
  { because: 'a longer pattern', path: '/subscriptions/ops/gadget/graph?version=1.0.0', finds: '/subscriptions/:namespace/:name/graph', parameters: { namespace: 'ops', name: 'gadget', version: '1.0.0' } }, // prettier-ignore
  { because: 'an escaped name', path: '/catalog/team/a%2Fb', finds: '/catalog/:catalog/:package', parameters: { catalog: 'team', package: 'a/b' } }, // prettier-ignore
  { because: 'the first of several values', path: '/catalog?search=a&search=b', finds: '/catalog', parameters: { search: 'a' } }, // prettier-ignore
  { because: 'a query that the view does not know is dropped', path: '/overview?x=1', finds: '/overview', parameters: {} }, // prettier-ignore
  { because: 'a query never replaces a name of the path', path: '/subscriptions/ops/gadget/graph?namespace=other', finds: '/subscriptions/:namespace/:name/graph', parameters: { namespace: 'ops', name: 'gadget' } }, // prettier-ignore
])('$because: $path', ({ path, finds, parameters }) => {
  const { pathname, searchParams } = new URL(path, 'http://x');
  const found = matchView(VIEWS, pathname, searchParams);
  expect({ finds: found?.view.path, parameters: found?.parameters }).toEqual({ finds, parameters });
});

test.each([
  { because: 'no view has this word', path: '/other' },
  { because: 'a name is missing', path: '/subscriptions/ops' },
  { because: 'a name is empty', path: '/subscriptions//gadget' },
  { because: 'there is one part too many', path: '/overview/x' },
  { because: 'an escape is broken', path: '/subscriptions/ops/%E0%A4%A' },
  { because: 'it is longer than any name', path: `/subscriptions/ops/${'x'.repeat(3000)}` },
  { because: 'a property of every object is no view', path: '/__proto__' },
])('an address leads nowhere if $because', ({ path }) => {
  expect(matchView(VIEWS, path, new URLSearchParams())).toBeUndefined();
});
