/** Words with their colours, one table for each kind of state. Pure. */
import type { Condition } from '../../api/conditions.ts';
import type { Phase } from '../../api/revision.ts';
import type { RiskLevel } from '../../plan/risks.ts';
import type { State } from '../../report/situation.ts';
import type { Badge, Tone } from './models.ts';
import { nameOf } from './text.ts';

const STATES: Readonly<Record<State, Tone>> = {
  Ready: 'good',
  Working: 'working',
  Waiting: 'waiting',
  Failed: 'bad',
  Removing: 'working',
  Suspended: 'off',
  Unknown: 'unknown',
};

export function stateBadge(state: State): Badge {
  return { word: state, tone: STATES[state] };
}

const PHASES: Readonly<Record<Phase['state'], Tone>> = {
  Pending: 'off',
  Waiting: 'working',
  Ready: 'good',
  Failed: 'bad',
};

export function phaseBadge(state: Phase['state']): Badge {
  return { word: state, tone: PHASES[state] };
}

const RISKS: Readonly<Record<RiskLevel, Tone>> = { none: 'good', low: 'good', high: 'waiting', irreversible: 'bad' };

export function riskBadge(level: RiskLevel): Badge {
  return { word: `${level === 'none' ? 'no' : level} risk`, tone: RISKS[level] };
}

/** Words of the trees and of Pods: those of apply/health.ts, and those of Pods in trouble. */
const HEALTH: ReadonlyMap<string, Tone> = new Map([
  ['Ready', 'good'],
  ['Active', 'good'],
  ['Progressing', 'working'],
  ['Starting', 'working'],
  ['Unknown', 'unknown'],
  ['Unreadable', 'unknown'],
  ['Archived', 'off'],
  ['Not approved', 'waiting'],
]);

/** A word that is not known is bad news: the tables of health have one word for good ones. */
export function healthBadge(word: string): Badge {
  const tone = HEALTH.get(word) ?? (word.startsWith('Waits') ? 'waiting' : 'bad');
  return { word: nameOf(word), tone };
}

/** Types of conditions whose `True` is bad news. */
const BAD_IF_TRUE: ReadonlySet<string> = new Set([
  'Stalled',
  'UpgradeFailed',
  'CustomResourcesLost',
  'Contested',
  'Deprecated',
]);

export function conditionTone({ type, status }: Condition): Tone {
  if (status === 'Unknown') return 'unknown';
  if (BAD_IF_TRUE.has(type)) return status === 'True' ? 'bad' : 'good';
  if (type === 'Ready') return status === 'True' ? 'good' : 'bad';
  return status === 'True' ? 'working' : 'off';
}

/** `Ready`, or the reason for which an object is not, or for which a Catalog offers old content. */
export function readyBadge(ready: Condition | undefined, reconciling: boolean): Badge {
  if (ready === undefined) return { word: 'Unknown', tone: 'unknown' };
  if (isStale(ready)) return { word: nameOf(ready.reason), tone: 'waiting' };
  if (ready.status === 'True') return { word: 'Ready', tone: 'good' };
  return { word: nameOf(ready.reason), tone: reconciling || ready.status === 'Unknown' ? 'working' : 'bad' };
}

/** Whether a condition says that a Catalog offers its last content, since no newer one can be read. */
export function isStale(ready: Condition | undefined): boolean {
  return ready?.status === 'True' && ready.reason === 'CatalogStale';
}
