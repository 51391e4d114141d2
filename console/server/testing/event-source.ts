/** Listens to server-sent events as a browser does, with the headers that a test names. */
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { eventually } from '../../../kube/testing/eventually.ts';

/** One event as it arrived. */
export interface SeenEvent {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
}

export interface Listener extends Disposable {
  readonly status: number;
  readonly events: readonly SeenEvent[];
  readonly comments: number;
  /** Whether the server has ended the stream. */
  readonly ended: boolean;
  /** Resolves with the first event from `from` on that fits. */
  until(fits: (event: SeenEvent) => boolean, from?: number): Promise<SeenEvent>;
  close(): void;
}

export async function listen(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Listener> {
  const asked: ClientRequest = request(url, { headers: { accept: 'text/event-stream', ...headers } });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject).end();
  });
  const state = { events: [] as SeenEvent[], comments: 0, ended: false };
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) state.comments += 1;
      const fields = new Map(block.split('\n').map((line) => [line.split(':')[0] ?? '', line.replace(/^\w+: ?/, '')]));
      if (!fields.has('data')) continue;
      const [event = '', id = '', data = ''] = ['event', 'id', 'data'].map((name) => fields.get(name));
      state.events.push({ event, id, data: JSON.parse(data), at: performance.now() });
    }
  });
  const end = (): void => void (state.ended = true);
  response.on('end', end).on('error', end).on('close', end);
  const close = (): void => void asked.destroy();
  return {
    status: response.statusCode ?? 0,
    events: state.events,
    get comments() {
      return state.comments;
    },
    get ended() {
      return state.ended;
    },
    until: (fits, from = 0) => eventually(() => state.events.slice(from).find(fits)),
    close,
    [Symbol.dispose]: close,
  };
}
