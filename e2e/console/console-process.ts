/** `slipway ui` as a process, as a person starts it. */
import { createCommandLine, type Running } from '../stories/command-line/process.ts';
import { until } from '../lib/until.ts';

/** State: the process that runs now, if any. It can be started again, on the same port. */
export class ConsoleProcess implements AsyncDisposable {
  readonly #kubeconfig: string;
  readonly #args: readonly string[];
  #running: Running | undefined;
  #address = new URL('http://127.0.0.1/');

  constructor(kubeconfig: string, args: readonly string[] = []) {
    this.#kubeconfig = kubeconfig;
    this.#args = args;
  }

  /** With the text that opens it once. */
  get address(): string {
    return this.#address.href;
  }

  /** `http://127.0.0.1:port` */
  get origin(): string {
    return this.#address.origin;
  }

  async start(): Promise<void> {
    const port = this.#address.port === '' ? [] : ['--port', this.#address.port];
    const running = createCommandLine(this.#kubeconfig).start('ui', '--no-open', '-o', 'json', ...port, ...this.#args);
    this.#running = running;
    const isEnded = { value: '' };
    void running.ended.then(({ stderr }) => (isEnded.value = `it has ended: ${stderr}`));
    const line = await until('the console prints its address', () => /^\{.*\}$/m.exec(running.stdout())?.[0], {
      explain: () => isEnded.value,
    });
    this.#address = new URL((JSON.parse(line) as { readonly address: string }).address);
  }

  /** As Ctrl-C does. */
  async stop(): Promise<void> {
    this.#running?.kill('SIGINT');
    await this.#running?.ended;
    this.#running = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
