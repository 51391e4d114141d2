import { textOf } from '../../untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';

/**
 * The formats that an API server checks; others say something to people only.
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/validation/formats.go
 */
const CHECKED: ReadonlySet<string> = new Set([
  'bsonobjectid',
  'byte',
  'cidr',
  'creditcard',
  'date',
  'date-time',
  'datetime',
  'duration',
  'email',
  'hexcolor',
  'hostname',
  'ipv4',
  'ipv6',
  'isbn',
  'isbn10',
  'isbn13',
  'k8s-long-name',
  'k8s-short-name',
  'mac',
  'password',
  'rgbcolor',
  'ssn',
  'uri',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
]);

export const formatRule: NodeRule = {
  name: 'format',
  meaning: 'The format of a text changes.',
  keywords: ['format'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [textOf(old['format']), textOf(next['format'])];
    if (before === after) return [];
    const message = `the format ${before || 'none'} becomes ${after || 'none'}`;
    return [{ effect: CHECKED.has(after) ? 'rejects' : 'none', message }];
  },
};
