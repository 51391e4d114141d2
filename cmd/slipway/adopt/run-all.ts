/** `slipway adopt run --all`: operator after operator, of either OLM, until none is ready. */
import { ReasonedError } from '../../../api/errors.ts';
import { cleanLine } from '../../../report/clean.ts';
import { count } from '../../../report/count.ts';
import { outcomeOf } from '../admin/print.ts';
import type { Outcome } from '../outcome.ts';

/** The operator to hand over next, and all that OLM has. */
export interface Upcoming<Next, Row> {
  readonly next: Next | undefined;
  /** Whether the hand-over of the next one has begun. */
  readonly hasBegun: boolean;
  readonly rest: readonly Row[];
}

/** The operators of one OLM. */
interface Operators<Next, Row extends Next> {
  readonly next: (isRefused: (row: Row) => boolean) => Promise<Upcoming<Next, Row>>;
  readonly handOver: (operator: Next) => Promise<Outcome>;
  /** The name by which a person knows it. */
  readonly idOf: (operator: Next) => string;
  /** The data that `-o json` prints of one that is handed over. */
  readonly toData: (operator: Next) => unknown;
}

interface RowWithMessage {
  readonly message: string;
}

/**
 * One that is refused before its first write is passed over, and listed at the end with the cause. Any other error, an error of
 * a hand-over that has begun, or a step that does not end in time ends the command.
 */
export async function runAll<Next, Row extends Next & RowWithMessage>(
  operators: Operators<Next, Row>,
  output: string,
): Promise<Outcome> {
  const { idOf } = operators;
  const done: Next[] = [];
  const refused = new Map<string, string>();
  for (;;) {
    const { next, hasBegun, rest } = await operators.next((row) => refused.has(idOf(row)));
    if (next === undefined) {
      const left = rest.map((row) => ({ ...row, message: refused.get(idOf(row)) ?? row.message }));
      return endOfAll(operators, { done, left, output });
    }
    try {
      const outcome = await operators.handOver(next);
      if (outcome.exitCode !== 0) return outcome;
      done.push(next);
    } catch (error) {
      if (hasBegun || !isRefusal(error)) throw error;
      refused.set(idOf(next), error.describe());
    }
  }
}

/** Whether an error is about one operator, and not about the cluster or the rights of the person. */
function isRefusal(error: unknown): error is ReasonedError {
  return error instanceof ReasonedError && (error.reason === 'Collision' || error.reason === 'InputInvalid');
}

interface Ending<Next, Row> {
  readonly done: readonly Next[];
  readonly left: readonly Row[];
  readonly output: string;
}

function endOfAll<Next, Row extends Next & RowWithMessage>(
  { idOf, toData }: Operators<Next, Row>,
  { done, left, output }: Ending<Next, Row>,
): Outcome {
  const names = done.map((operator) => `  ${cleanLine(idOf(operator))}\n`).join('');
  const others = left.map((row) => `  ${cleanLine(`${idOf(row)}: ${row.message}`)}\n`).join('');
  const text = [
    `${count(done.length, 'operator')} handed over${done.length === 0 ? '' : ':'}\n${names}`,
    left.length === 0 ? '' : `Not handed over:\n${others}`,
  ].join('');
  return outcomeOf({ handedOver: done.map(toData), notHandedOver: left }, text, output, left.length > 0 ? 2 : 0);
}

/** The first that is ready or becomes so by waiting, and was not refused. */
export function firstOf<Row extends { readonly state: string }>(
  rows: readonly Row[],
  isRefused: (row: Row) => boolean,
): Row | undefined {
  const left = rows.filter((row) => !isRefused(row));
  return left.find(({ state }) => state === 'ready') ?? left.find(({ state }) => state === 'wait');
}
