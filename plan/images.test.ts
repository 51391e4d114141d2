/** Every place in which an object can name an image that a node pulls. */
import { describe, expect, test } from 'vitest';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { imagesOf } from './images.ts';

const IMAGE = 'registry.example/team/app:v1';
const metadata = { name: 'a', namespace: 'n' };
const pod = (spec: object): object => ({ metadata: { labels: { app: 'a' } }, spec });

type MakeWorkload = (spec: object) => KubeObject;
const templated =
  (apiVersion: string, kind: string): MakeWorkload =>
  (spec) => ({ apiVersion, kind, metadata, spec: { template: pod(spec) } });

const WORKLOADS: Readonly<Record<string, MakeWorkload>> = {
  Pod: (spec) => ({ apiVersion: 'v1', kind: 'Pod', metadata, spec }),
  Deployment: templated('apps/v1', 'Deployment'),
  StatefulSet: templated('apps/v1', 'StatefulSet'),
  DaemonSet: templated('apps/v1', 'DaemonSet'),
  ReplicaSet: templated('apps/v1', 'ReplicaSet'),
  Job: templated('batch/v1', 'Job'),
  ReplicationController: templated('v1', 'ReplicationController'),
  CronJob: (spec) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata,
    spec: { jobTemplate: { spec: { template: pod(spec) } } },
  }),
};

const PLACES: readonly { readonly place: string; readonly spec: object }[] = [
  { place: 'containers[c]', spec: { containers: [{ name: 'c', image: IMAGE }] } },
  { place: 'initContainers[c]', spec: { initContainers: [{ name: 'c', image: IMAGE }] } },
  { place: 'ephemeralContainers[c]', spec: { ephemeralContainers: [{ name: 'c', image: IMAGE }] } },
  { place: 'volumes[v]', spec: { volumes: [{ name: 'v', image: { reference: IMAGE } }] } },
  {
    place: 'containers[c].env[RELATED_IMAGE_APP]',
    spec: { containers: [{ name: 'c', env: [{ name: 'RELATED_IMAGE_APP', value: IMAGE }] }] },
  },
  {
    place: 'containers[c].env[RELATED_IMAGE_PLUGIN]',
    spec: { containers: [{ name: 'c', env: [{ name: 'RELATED_IMAGE_PLUGIN', value: `oci://${IMAGE}` }] }] },
  },
];

describe.each(Object.entries(WORKLOADS))('the images of a %s', (_kind, workload) => {
  test.each(PLACES)('include that of $place', ({ place, spec }) => {
    const object = workload(spec);
    expect(imagesOf([object])).toEqual(new Map([[IMAGE, new Set([`${describeRef(refOf(object))}: ${place}`])]]));
  });

  test.each([
    { because: 'the volume is no image', spec: { volumes: [{ name: 'v', configMap: { name: 'c' } }] } },
    { because: 'the reference is empty', spec: { volumes: [{ name: 'v', image: { reference: '' } }] } },
    { because: 'the list is none', spec: { volumes: 'v', containers: { name: 'c', image: IMAGE } } },
    { because: 'the variable is another', spec: { containers: [{ name: 'c', env: [{ name: 'APP', value: IMAGE }] }] } },
  ])('include none if $because', ({ spec }) => {
    expect(imagesOf([workload(spec)])).toEqual(new Map());
  });
});
