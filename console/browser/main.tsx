/** Starts the pages. */
import { render } from 'preact';
import { App } from './app.tsx';
import { signedIn } from './shell/state.ts';

void signedIn.read();
render(<App />, document.getElementById('app')!);
