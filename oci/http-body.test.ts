import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import { expect, test } from 'vitest';
import { sendBody } from './http-body.ts';

test('a body of many pieces leaves no listeners on its request', async () => {
  let pieces = 0;
  const request = Object.assign(new EventEmitter(), {
    write() {
      pieces += 1;
      process.nextTick(() => request.emit('drain'));
      return false;
    },
    end() {},
  });
  await sendBody(request as unknown as ClientRequest, Buffer.alloc(5 << 20), () => undefined);
  expect(pieces).toBeGreaterThan(11);
  expect(request.eventNames()).toEqual([]);
});
