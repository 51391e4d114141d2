/** A page that is not shown holds no connection: a browser has six for a host, and people have more tabs. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveView } from './stream.ts';

class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static readonly all: FakeSource[] = [];
  readonly url: string;
  readyState = 1;

  constructor(url: string) {
    super();
    this.url = url;
    FakeSource.all.push(this);
  }

  close(): void {
    this.readyState = FakeSource.CLOSED;
  }

  send(id: string, model: unknown): void {
    const event = Object.assign(new Event('view'), { data: JSON.stringify(model), lastEventId: id });
    this.dispatchEvent(event);
  }
}

const newPage = () => Object.assign(new EventTarget(), { hidden: false });
let page = newPage();
const open = (): readonly FakeSource[] => FakeSource.all.filter(({ readyState }) => readyState !== FakeSource.CLOSED);

/** The server answers the request for the stream. */
function begin(): void {
  open()[0]?.dispatchEvent(new Event('open'));
}

function turn(hidden: boolean): void {
  page.hidden = hidden;
  page.dispatchEvent(new Event('visibilitychange'));
}

beforeEach(() => {
  FakeSource.all.length = 0;
  page = newPage();
  const window = Object.assign(new EventTarget(), { setTimeout, clearTimeout });
  for (const [name, value] of Object.entries({ EventSource: FakeSource, window, document: page })) vi.stubGlobal(name, value); // prettier-ignore
});
afterEach(() => vi.unstubAllGlobals());

const view = (): LiveView => new LiveView(async () => undefined, { in: (url) => url });

test('a page that becomes hidden ends its stream, and keeps the data', () => {
  const live = view();
  live.show('/overview');
  open()[0]?.send('a', { n: 1 });
  turn(true);
  expect({ open: open().length, about: live.about('/overview').model }).toEqual({ open: 0, about: { n: 1 } });
});

test.each([
  { because: 'the data that it has', url: '/overview', shown: '/overview', asked: '/api/live/overview?lastEventId=a' },
  { because: 'a query besides', url: '/events?namespace=ops', shown: '/events?namespace=ops', asked: '/api/live/events?namespace=ops&lastEventId=a' }, // prettier-ignore
  { because: 'another view', url: '/overview', shown: '/slipway', asked: '/api/live/slipway' },
])('a page that is shown again opens it again, and names $because', ({ url, shown, asked }) => {
  const live = view();
  live.show(url);
  open()[0]?.send('a', { n: 1 });
  turn(true);
  live.show(shown);
  expect(open()).toEqual([]);
  turn(false);
  expect(open().map((source) => source.url)).toEqual([asked]);
});

test('a page that opens hidden has no stream until it is shown', () => {
  page.hidden = true;
  view().show('/overview');
  expect(open()).toEqual([]);
  turn(false);
  expect(open().map(({ url }) => url)).toEqual(['/api/live/overview']);
});

test.each<{ because: string; happens: (live: LiveView) => void; isCurrent: boolean }>([
  { because: 'it is live, and has the data of its address', happens: () => undefined, isCurrent: true },
  { because: 'it is hidden', happens: () => turn(true), isCurrent: false },
  {
    because: 'it is shown again, and its stream is not open yet',
    happens: () => [true, false].forEach(turn),
    isCurrent: false,
  },
  {
    because: 'it is shown again, and the server has no newer data',
    happens: () => {
      [true, false].forEach(turn);
      begin();
    },
    isCurrent: true,
  },
  {
    because: 'the data of another query are on their way',
    happens: (live) => {
      live.show('/overview?customResources=Retain');
      begin();
    },
    isCurrent: false,
  },
  {
    because: 'the data of another query have come',
    happens: (live) => {
      live.show('/overview?customResources=Retain');
      begin();
      open()[0]?.send('b', { n: 2 });
    },
    isCurrent: true,
  },
  { because: 'the connection is lost', happens: () => open()[0]?.dispatchEvent(new Event('error')), isCurrent: false },
])('a page may act on its data: $isCurrent, as $because', ({ happens, isCurrent }) => {
  const live = view();
  live.show('/overview');
  begin();
  open()[0]?.send('a', { n: 1 });
  happens(live);
  expect(live.isCurrent).toBe(isCurrent);
});

test('a page that stays shown keeps its stream', () => {
  view().show('/overview');
  turn(false);
  expect(FakeSource.all).toHaveLength(1);
});

test('a problem is no data: the next stream brings the state in any case', () => {
  const live = view();
  live.show('/overview');
  open()[0]?.send('a', { n: 1 });
  open()[0]?.dispatchEvent(Object.assign(new Event('problem'), { data: '{"problem":true}' }));
  turn(true);
  turn(false);
  expect(open().map(({ url }) => url)).toEqual(['/api/live/overview']);
});
