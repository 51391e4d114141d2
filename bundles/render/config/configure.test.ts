import { describe, expect, it } from 'vitest';
import type { OperatorConfig } from '../../../api/operator-config.ts';
import type { DeploymentSpec } from '../../bundle.ts';
import { makeBundle, makeDeployment } from '../../testing/bundle.ts';
import { renderBundle } from '../render.ts';

interface Rendered {
  readonly metadata: { readonly labels?: unknown; readonly annotations?: unknown };
  readonly spec: DeploymentSpec;
}

/** The Deployments `first` and `second`, each with the containers `manager` and `proxy`, by name. */
function configure(config: OperatorConfig, pod: Readonly<Record<string, unknown>> = {}): ReadonlyMap<string, Rendered> {
  const containers = [
    {
      name: 'manager',
      args: ['--a'],
      env: [{ name: 'A', value: '1' }],
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
    },
    { name: 'proxy', resources: { limits: { cpu: '1' } } },
  ];
  const deployments = ['first', 'second'].map((name) => makeDeployment(name, { containers, ...pod }));
  const objects = renderBundle(makeBundle({ deployments }), { namespace: 'ops', certificates: 'none', config });
  return new Map(objects.map((object) => [object.metadata.name, object as unknown as Rendered]));
}

function podOf(
  config: OperatorConfig,
  pod: Readonly<Record<string, unknown>> = {},
): DeploymentSpec['template']['spec'] {
  const deployment = configure(config, pod).get('first');
  if (deployment === undefined) throw new Error('the Deployment is missing');
  return deployment.spec.template.spec;
}

describe('settings for all Deployments', () => {
  it('settings for all Deployments change every container, but no init container', () => {
    const pod = { initContainers: [{ name: 'init' }] };
    const configured = configure({ env: [{ name: 'B', value: '2' }] }, pod);
    for (const { spec } of configured.values()) {
      expect(spec.template.spec.containers?.map(({ env }) => env?.map(({ name }) => name))).toEqual([
        ['A', 'B'],
        ['B'],
      ]);
      expect(spec.template.spec.initContainers).toEqual([{ name: 'init', resources: {} }]);
    }
  });

  it('variables of the same name are replaced in place, and others are added', () => {
    const env = [
      { name: 'B', value: '2' },
      { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ];
    expect(podOf({ env }).containers?.[0]?.env).toEqual([
      { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'B', value: '2' },
    ]);
  });

  it('sources of variables and tolerations are added once', () => {
    const envFrom = [{ secretRef: { name: 's' } }, { secretRef: { name: 's' } }];
    const toleration = { key: 'a', operator: 'Exists' };
    const pod = podOf({ envFrom, tolerations: [toleration, { key: 'b' }] }, { tolerations: [toleration] });
    expect(pod.containers?.[0]?.envFrom).toEqual([{ secretRef: { name: 's' } }]);
    expect(pod.tolerations).toEqual([toleration, { key: 'b' }]);
  });

  it('resources and nodeSelector are replaced as a whole', () => {
    const pod = podOf(
      { resources: { requests: { memory: '1024Mi', cpu: 2 } }, nodeSelector: { a: 'b' } },
      { nodeSelector: { c: 'd' } },
    );
    expect(pod.containers?.map(({ resources }) => resources)).toEqual(
      Array.from({ length: 2 }, () => ({ requests: { memory: '1Gi', cpu: '2' } })),
    );
    expect(pod.nodeSelector).toEqual({ a: 'b' });
  });

  it('volumes are replaced by name and mounts by path', () => {
    const pod = podOf(
      {
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', secret: { secretName: 's' } },
        ],
        volumeMounts: [
          { name: 'w', mountPath: '/v' },
          { name: 'w', mountPath: '/w' },
        ],
      },
      { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
    );
    expect(pod.volumes).toEqual([
      { name: 'v', emptyDir: {} },
      { name: 'w', secret: { secretName: 's' } },
    ]);
    expect(pod.containers?.[0]?.volumeMounts).toEqual([
      { name: 'w', mountPath: '/v' },
      { name: 'w', mountPath: '/w' },
    ]);
  });

  it('arguments are appended and the number of Pods is set, including 0', () => {
    const first = configure({ args: ['--b'], replicas: 0 }).get('first');
    expect(first?.spec.template.spec.containers?.map(({ args }) => args)).toEqual([['--a', '--b'], ['--b']]);
    expect(first?.spec.replicas).toBe(0);
  });

  it('annotations and labels are added to the Deployment and its Pods', () => {
    const first = configure({
      annotations: { x: 'y', 'olm.operatorNamespace': 'z' },
      labels: { l: 'm' },
    }).get('first');
    expect(first?.metadata).toMatchObject({ annotations: { x: 'y' }, labels: { l: 'm' } });
    expect(first?.spec.template.metadata).toMatchObject({
      annotations: { x: 'y', 'olm.operatorNamespace': 'ops' },
      labels: { l: 'm', app: 'first' },
    });
  });

  const node = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [] }] } };
  const AFFINITIES = [
    { bundle: { podAffinity: {} }, config: {}, result: undefined, because: 'an empty affinity removes all parts' },
    {
      bundle: { nodeAffinity: node },
      config: { nodeAffinity: {} },
      result: undefined,
      because: 'an empty part removes that part',
    },
    {
      bundle: {
        nodeAffinity: node,
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] },
      },
      config: { podAntiAffinity: {} },
      result: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } },
      because: 'other parts stay',
    },
    {
      bundle: undefined,
      config: { nodeAffinity: node },
      result: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } },
      because: 'a part is set if there was none',
    },
  ];

  it.each(AFFINITIES)('affinity is replaced part by part: $because', ({ bundle, config, result }) => {
    expect(podOf({ affinity: config }, { affinity: bundle }).affinity).toEqual(result);
  });
});

describe('settings for one Deployment', () => {
  const config: OperatorConfig = {
    replicas: 2,
    env: [{ name: 'A', value: 'all' }],
    annotations: { who: 'all', only: 'all' },
    deployments: [
      {
        name: 'first',
        replicas: 3,
        env: [{ name: 'A', value: 'first' }],
        annotations: { who: 'first' },
        containers: [{ name: 'proxy', env: [{ name: 'A', value: 'proxy' }], args: ['--p'] }],
      },
    ],
  };

  it('settings for one Deployment win over those for all, and settings for one container over both', () => {
    const configured = configure(config);
    const values = (name: string): unknown =>
      configured.get(name)?.spec.template.spec.containers?.map(({ env }) => env?.[0]?.['value']);
    expect(values('first')).toEqual(['first', 'proxy']);
    expect(values('second')).toEqual(['all', 'all']);
    expect([configured.get('first')?.spec.replicas, configured.get('second')?.spec.replicas]).toEqual([3, 2]);
    expect(configured.get('first')?.metadata.annotations).toEqual({ who: 'first', only: 'all' });
    expect(configured.get('second')?.metadata.annotations).toEqual({ who: 'all', only: 'all' });
  });
});

describe('a configuration is refused', () => {
  const REFUSED: readonly { readonly because: string; readonly config: OperatorConfig; readonly names: string }[] = [
    {
      because: 'the bundle has no such Deployment',
      config: { deployments: [{ name: 'third' }] },
      names: 'deployments[third]',
    },
    {
      because: 'the Deployment has no such container',
      config: { deployments: [{ name: 'first', containers: [{ name: 'x' }] }] },
      names: 'containers[x]',
    },
    {
      because: 'a quantity is invalid',
      config: { resources: { limits: { cpu: 'much' } } },
      names: 'config.resources.limits.cpu',
    },
    {
      because: 'a volume has a field that does not exist',
      config: { volumes: [{ name: 'v', emptydir: {} }] },
      names: 'config.volumes[0].emptydir',
    },
    {
      because: 'an affinity has a list instead of a map',
      config: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } } },
      names: 'config.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution',
    },
    {
      because: 'a label of the selector would change',
      config: { deployments: [{ name: 'first', labels: { app: 'other' } }] },
      names: 'config.deployments[first].labels[app]',
    },
  ];

  it.each(REFUSED)('a configuration is refused with the path of the field when $because', ({ config, names }) => {
    let error: unknown;
    try {
      configure(config);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ reason: 'InvalidConfiguration', retry: 'never' });
    expect((error as Error).message).toContain(names);
  });
});
