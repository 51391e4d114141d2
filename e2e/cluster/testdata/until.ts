import { setTimeout as delay } from 'node:timers/promises';

/** Asks again and again until the answer is yes; the test's own timeout ends it. */
export async function until(question: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await question())) await delay(50);
}
