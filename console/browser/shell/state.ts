/** The two things that every part of the page shares: the person, and the data of the shown view. */
import { LiveView } from '../live/stream.ts';
import { SignedIn } from './session.ts';

export const signedIn = new SignedIn();
export const live = new LiveView(() => void signedIn.read());
