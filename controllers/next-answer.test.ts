import { describe, expect, it } from 'vitest';
import { createNextAnswer } from './next-answer.ts';

/** Answers by number, when it is let. */
class Server {
  readonly requests: PromiseWithResolvers<number>[] = [];
  readonly ask = createNextAnswer(() => {
    const request = Promise.withResolvers<number>();
    this.requests.push(request);
    return request.promise;
  });

  answer(number: number): void {
    this.requests[number - 1]?.resolve(number);
  }
}

describe('an answer that many ask for', () => {
  it('is requested at once if no request is under way', async () => {
    const server = new Server();
    const first = server.ask();
    expect(server.requests).toHaveLength(1);
    server.answer(1);
    expect(await first).toBe(1);
    const second = server.ask();
    await expect.poll(() => server.requests.length).toBe(2);
    server.answer(2);
    expect(await second).toBe(2);
  });

  it('is of the next request for all that ask while one is under way', async () => {
    const server = new Server();
    const first = server.ask();
    const others = [server.ask(), server.ask(), server.ask()];
    expect(server.requests).toHaveLength(1);
    server.answer(1);
    expect(await first).toBe(1);
    await expect.poll(() => server.requests.length).toBe(2);
    server.answer(2);
    expect(await Promise.all(others)).toEqual([2, 2, 2]);
  });

  it('fails for those that share it, and not for the next ones', async () => {
    const server = new Server();
    const first = server.ask();
    const second = server.ask();
    server.requests[0]?.reject(new Error('the connection is gone'));
    await expect(first).rejects.toThrow('the connection is gone');
    await expect.poll(() => server.requests.length).toBe(2);
    server.answer(2);
    expect(await second).toBe(2);
  });
});
