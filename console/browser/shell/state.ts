/** The things that every part of the page shares: the person, the key, and the data of the shown view. */
import { LiveView } from '../live/stream.ts';
import type { Problem } from '../../data/view.ts';
import { PortKey } from './key.ts';
import { isSignedIn, problemOf, SignedIn } from './session.ts';

export const portKey = new PortKey({ location, history, storage: () => localStorage });
export const signedIn = new SignedIn(portKey);
export const live = new LiveView(whyRefused, portKey);

/** Resolves when requests have the right key. */
export function settleKey(): Promise<void> {
  return portKey.settle(isSignedIn);
}

/** An EventSource hides the answer that refused it: the same view is asked for once. */
async function whyRefused(url: string): Promise<Problem | undefined> {
  await signedIn.read();
  const answer = await fetch(`/api/view${url}`, { headers: portKey.headers }).catch(() => undefined);
  return answer === undefined || answer.ok || answer.status === 401 ? undefined : problemOf(answer);
}
