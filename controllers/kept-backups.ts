/**
 * Whether the manager keeps backups for a Subscription. Hardly any Subscription has taken an operator over from OLM, and a
 * thousand may be uninstalled at once: a few lists answer for all of them.
 */
import { surveyBackups } from '../adoption/backups.ts';
import type { Cluster } from '../api/cluster.ts';
import { createNextAnswer } from './next-answer.ts';

/** By the name of the Subscription; never of an earlier moment than the question. Throws the errors of the client. */
export type AskForBackups = (subscription: string) => Promise<boolean>;

/** @param kept The namespace of the manager, which keeps the backups. */
export function createKeptBackups(cluster: Pick<Cluster, 'list'>, kept: string): AskForBackups {
  const survey = createNextAnswer(() => surveyBackups(cluster, kept));
  return async (subscription) => (await survey())(subscription);
}
