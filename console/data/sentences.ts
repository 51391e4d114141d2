/** Sentences of the manager, as a page with buttons shows them. Pure. */
import type { Subscription } from '../../api/subscription.ts';
import { outdatedOf } from '../../report/outdated.ts';
import { line } from './text.ts';

/** The manager writes it for people who have no console. It names no plan; the line beside the button does. */
const APPROVAL =
  /: kubectl -n \S{1,253} patch revisions\.slipway\.dev \S{1,253} --type merge -p '\{"spec":\{"approved":true\}\}'/g;

export function withoutApproval(text: string): string {
  return text.replaceAll(APPROVAL, '');
}

/** Why the newest version is not installed, with the name of that version; undefined if it is. */
export function outdatedSentence(subscription: Subscription): string | undefined {
  const outdated = outdatedOf(subscription);
  if (outdated === undefined) return undefined;
  const text = withoutApproval(line(outdated.message));
  return outdated.latest !== undefined && /^it\b/.test(text) ? line(`${outdated.latest} is not chosen: ${text}`) : text;
}
