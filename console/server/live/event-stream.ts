/**
 * One browser that listens: server-sent events, the newest only. Whatever a slow browser has not taken yet is replaced
 * by the next state, so that it costs one state of memory however far behind it is.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

/** A state as it goes on the wire. Many streams share its bytes. */
export interface LiveEvent {
  /** Identifies the state: equal states are sent once. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

const HEARTBEAT = Buffer.from(': \n\n');
const OPENING = Buffer.from('retry: 1000\n\n');

export class EventStream {
  readonly readable: ReadableStream<Uint8Array>;
  #sent: string | undefined;
  /** The next bytes; `id` is absent for a heartbeat. */
  #pending: { readonly id?: string; readonly bytes: Uint8Array } | undefined;
  #wake: (() => void) | undefined;
  #ended = false;
  #isQuiet = true;

  /** @param lastEventId The state that the browser has from an earlier stream. @param onEnd Called once. */
  constructor(lastEventId: string | undefined, onEnd: () => void) {
    this.#sent = lastEventId;
    this.#onEnd = onEnd;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(OPENING),
        pull: (controller) => this.#pull(controller),
        cancel: () => this.end(),
      },
      { highWaterMark: 0 },
    );
  }

  readonly #onEnd: () => void;

  /** Sends the state as soon as the browser takes it, unless it has that state. */
  offer({ id, bytes }: LiveEvent): void {
    if (id === this.#sent) {
      if (this.#pending?.id !== undefined) this.#pending = undefined;
      return;
    }
    this.#put({ id, bytes });
  }

  /** Sends a comment if nothing was sent since the last call: proxies cut connections that are silent. */
  beat(): void {
    if (this.#isQuiet && this.#pending === undefined) this.#put({ bytes: HEARTBEAT });
    this.#isQuiet = true;
  }

  /** Ends the stream; the browser connects again by itself. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wake?.();
    this.#onEnd();
  }

  #put(next: { readonly id?: string; readonly bytes: Uint8Array }): void {
    if (this.#ended) return;
    this.#pending = next;
    this.#wake?.();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#pending === undefined && !this.#ended) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    this.#wake = undefined;
    const next = this.#pending;
    if (this.#ended || next === undefined) return controller.close();
    this.#pending = undefined;
    this.#isQuiet = false;
    if (next.id !== undefined) this.#sent = next.id;
    controller.enqueue(next.bytes);
  }
}
