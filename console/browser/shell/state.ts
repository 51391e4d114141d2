/** The two things that every part of the page shares: the person, and the data of the shown view. */
import { LiveView } from '../live/stream.ts';
import type { Problem } from '../../data/view.ts';
import { problemOf, SignedIn } from './session.ts';

export const signedIn = new SignedIn();
export const live = new LiveView(whyRefused);

/** An EventSource hides the answer that refused it: the same view is asked for once. */
async function whyRefused(url: string): Promise<Problem | undefined> {
  await signedIn.read();
  const answer = await fetch(`/api/view${url}`).catch(() => undefined);
  return answer === undefined || answer.ok || answer.status === 401 ? undefined : problemOf(answer);
}
