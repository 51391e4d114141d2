/**
 * An act as the line for kubectl that does the same, for a POSIX shell. Three differences are on purpose: the line takes
 * the time when it is run, `kubectl delete` cannot name a uid, and kubectl names itself as the field manager and warns of
 * fields that the CRDs lack, which the console has refused. Pure.
 */
import { formatJson } from '../../api/json.ts';
import { GROUP } from '../../api/names.ts';
import { escapeJson } from '../../report/clean.ts';
import { formatYaml } from '../../report/data.ts';
import type { Action } from './actions.ts';
import { stepsOf, type Step, type StepTarget } from './steps.ts';

/** One line, or several joined by `&&` if the act has several writes. */
export function kubectlLine(action: Action): string {
  return stepsOf(action).map(lineOf).join(' &&\n');
}

function lineOf(step: Step): string {
  const { target } = step;
  switch (step.do) {
    case 'merge':
      return `${kubectl(target)} patch ${resourceOf(target)} --type merge -p ${quote(escapeJson(formatJson(step.patch)))}`;
    case 'test':
      return `${kubectl(target)} patch ${resourceOf(target)} --type json -p ${quote(escapeJson(formatJson(step.patch)))}`;
    case 'annotate':
      return `${kubectl(target)} annotate ${resourceOf(target)} --overwrite ${step.key}="$(date -u +%Y-%m-%dT%H:%M:%SZ)"`;
    case 'create':
      return `kubectl create -f - <<'EOF'\n${manifestOf(step.body)}EOF`;
    default:
      return `${kubectl(target)} delete ${resourceOf(target)} --wait=false`;
  }
}

/** One document of YAML, as it would lie in Git. */
export function manifestOf(object: object): string {
  return formatYaml([object]).replace(/^---\n/, '');
}

function kubectl({ namespace }: StepTarget): string {
  return namespace === undefined ? 'kubectl' : `kubectl -n ${quote(namespace)}`;
}

function resourceOf({ plural, name }: StepTarget): string {
  return `${plural}.${GROUP} ${quote(name)}`;
}

/** A text as one word of a shell; a word that needs no quotes has none. */
export function quote(text: string): string {
  return /^[\w.,:@%+=/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
