/** Validates an object's replica counts as the scale subresource of its version requires. Pure. */
import { type Fields, isRecord, textOf } from '../../api/untyped.ts';
import type { CrdVersion } from './schema.ts';
import type { Problem } from './server/problem.ts';
import { takeSteps } from './server/steps.ts';
import { cutName } from './server/texts.ts';

const MOST_REPLICAS = 2 ** 31 - 1;

/** The problems that the scale subresource of a version has with an object. */
export function scaleProblems({ scale }: Pick<CrdVersion, 'scale'>, object: unknown): readonly Problem[] {
  if (scale === undefined) return [];
  const counts = ['specReplicasPath', 'statusReplicasPath'].flatMap((name) => {
    const value = valueAt(scale, name, object);
    const isRight = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_REPLICAS;
    return value === undefined || isRight ? [] : [problemAt(textOf(scale[name]), 'is no count of replicas')];
  });
  const selector = valueAt(scale, 'labelSelectorPath', object);
  const isText = selector === undefined || typeof selector === 'string';
  return isText ? counts : [...counts, problemAt(textOf(scale['labelSelectorPath']), 'is no text')];
}

function problemAt(path: string, message: string): Problem {
  return { rule: 'scale', path: `^${path}`, message: `${cutName(path)} ${message}` };
}

/** Finds a value as Kubernetes does: names between dots. */
function valueAt(scale: Fields, name: string, object: unknown): unknown {
  const path = textOf(scale[name]).replace(/^\./, '');
  takeSteps(path.length);
  if (path === '') return undefined;
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), object);
}
