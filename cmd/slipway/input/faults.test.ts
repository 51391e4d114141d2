import { describe, expect, test } from 'vitest';
import { OperatorConfig } from '../../../api/operator-config.ts';
import { faultsOf } from './faults.ts';

interface Row {
  readonly because: string;
  readonly data: unknown;
  readonly faults: readonly string[];
}

describe('what is wrong with a configuration', () => {
  test.each<Row>([
    { because: 'it is right', data: { replicas: 2, resources: { limits: { cpu: 1 } } }, faults: [] },
    {
      because: 'a Pod may have it',
      data: { affinity: { nodeAffinity: {} }, volumes: [{ name: 'v', csi: {} }] },
      faults: [],
    },
    { because: 'annotations have names of their own', data: { annotations: { any: 'thing' } }, faults: [] },
    { because: 'it is no map', data: [], faults: ['the whole must be a map, not a list'] },
    { because: 'it is nothing', data: null, faults: ['the whole must be a map, not nothing'] },
    {
      because: 'everything is wrong at once',
      data: {
        replica: 3,
        replicas: -1,
        args: 'x',
        env: [{ name: '', valu: 1 }],
        resources: { limits: { cpu: [] } },
        nodeSelector: { a: 1 },
        deployments: [{ replicas: 1.5, containers: [{ name: 'a', arg: [] }] }],
      },
      faults: [
        'env[0].name: must have at least 1 character',
        'resources.limits.cpu: must be a number or a text, not a list',
        'args: must be a list, not the text "x"',
        'nodeSelector.a: must be a text, not 1',
        'replicas: must be at least 0',
        'deployments[0].name: is missing',
        'deployments[0].replicas: must be a whole number, not 1.5',
        'replica: there is no such field',
        'env[0].valu: there is no such field',
        'deployments[0].containers[0].arg: there is no such field',
      ],
    },
    {
      because: 'there is too much',
      data: { tolerations: Array.from({ length: 65 }, () => ({})), env: [{ name: 'a'.repeat(254) }] },
      faults: ['env[0].name: must have at most 253 characters', 'tolerations: must have at most 64 entries'],
    },
    {
      because: 'names are those of every object',
      data: { toString: 1, ['__proto__' as string]: 1 },
      faults: ['toString: there is no such field', '__proto__: there is no such field'],
    },
  ])('every fault of the input is reported in words: $because', ({ data, faults }) => {
    expect(faultsOf(OperatorConfig, data)).toEqual(faults);
  });
});
