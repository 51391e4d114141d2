/** The program of the worker thread: carries out the messages of in-worker.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { ReasonedError } from '../../api/errors.ts';
import { IndexBuilder } from './builder.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './in-worker.ts';

const { slots, ...options } = workerData as WorkerSetup;
const builder = new IndexBuilder(options);
let failed = false;

parentPort!.on('message', (message: ToWorker) => {
  if (failed) return; // what was sent before the failure was known
  try {
    carryOut(message);
  } catch (error) {
    failed = true;
    builder.abort();
    if (!(error instanceof ReasonedError)) throw error;
    const { reason, retry, message: text, hint } = error;
    answer({ is: 'failed', facts: { reason, retry, message: text, ...(hint !== undefined && { hint }) } });
    parentPort!.close();
  }
});

function carryOut(message: ToWorker): void {
  switch (message.do) {
    case 'beginFile':
      return builder.beginFile(message.path);
    case 'push':
      builder.push(new Uint8Array(slots[message.slot]!, 0, message.length));
      return answer({ is: 'free', slot: message.slot });
    case 'endFile':
      return builder.endFile();
    case 'finish':
      answer({ is: 'done', counts: builder.finish() });
      return parentPort!.close();
  }
}

function answer(message: FromWorker): void {
  parentPort!.postMessage(message, []);
}
