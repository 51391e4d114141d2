/** Starts the pages. */
import { render } from 'preact';
import { App } from './app.tsx';
import { settleKey, signedIn } from './shell/state.ts';

void start();

async function start(): Promise<void> {
  await settleKey();
  void signedIn.read();
  render(<App />, document.getElementById('app')!);
}
