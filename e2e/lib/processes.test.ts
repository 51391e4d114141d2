import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { isPaused } from './processes.ts';

test('a busy process is paused as soon as SIGSTOP was sent, and no more after SIGCONT', () => {
  const busy = spawn('sh', ['-c', 'while :; do :; done']);
  const seen = { paused: 0, resumed: 0 };
  try {
    for (let round = 0; round < 50; round += 1) {
      busy.kill('SIGSTOP');
      if (isPaused(busy.pid!)) seen.paused += 1;
      busy.kill('SIGCONT');
      if (!isPaused(busy.pid!)) seen.resumed += 1;
    }
  } finally {
    busy.kill('SIGKILL');
  }
  expect(seen).toEqual({ paused: 50, resumed: 50 });
});
