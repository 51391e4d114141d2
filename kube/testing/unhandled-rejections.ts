/** For tests: the rejections that nothing handles, each of which would end a process. */
import { setTimeout as pause } from 'node:timers/promises';

/** The errors that nothing has handled until `work` is over, and shortly after. The thread itself has to be quiet. */
export async function unhandledDuring(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (reason) => void found.push(reason));
  try {
    await work();
    await pause(0);
    return found;
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
  }
}
