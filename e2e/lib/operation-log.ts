/** The lines that the manager logs about the operations of one namespace: an operator is installed, upgraded, removed. */
import type { RunningManager } from './manager.ts';

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly reason?: string;
  readonly kind?: string;
  readonly namespace?: string;
}

/** Below that, lines are for developers. */
const INFO = 30;

export class OperationLog {
  readonly #manager: Pick<RunningManager, 'log'>;
  readonly #namespace: string;
  #read = 0;

  constructor(manager: Pick<RunningManager, 'log'>, namespace: string) {
    this.#manager = manager;
    this.#namespace = namespace;
  }

  /** The lines about the namespace since the call before. */
  next(): readonly LogLine[] {
    const complete = this.#manager.log().split('\n').slice(0, -1);
    const fresh = complete.slice(this.#read).map((line) => JSON.parse(line) as LogLine);
    this.#read = complete.length;
    return fresh.filter(({ level, namespace }) => level >= INFO && namespace === this.#namespace);
  }
}
