/**
 * The programs that a test cluster is made of, and the Go modules that they come from. The versions stand in
 * `modules/<module>/go.mod`; a tool that is added here is fetched there by `go get -tool PACKAGE@VERSION`.
 */

import { COMPONENTS, type ComponentName } from './components.ts';
import type { ClusterOptions } from './options.ts';

/**
 * A folder under `modules/`: a Go module for each tool, since their dependencies do not agree with one another. Those of
 * Kubernetes, etcd and kwok do: in one module, most packages of the last two are compiled for the first already.
 */
export interface ToolModule {
  readonly name: string;
  /** Program → Go package. */
  readonly programs: Readonly<Record<string, string>>;
  /** The module whose version the programs report, if the linker has to set it. */
  readonly reportsVersionOf?: string;
  /** Build tags. */
  readonly tags?: readonly string[];
  /** Patterns of packages that no cluster is slower for if they are not optimized. */
  readonly unoptimized?: readonly string[];
  /** Needs a C compiler and the headers of libseccomp. */
  readonly cgo?: boolean;
}

/**
 * The controllers, the scheduler, kubectl, the generated clients, and telemetry: more than half of the compiler's time. The code that
 * an API server runs for each request lies in others: apiserver, apimachinery, api, apiextensions-apiserver, client-go/tools.
 */
const RARELY_RUN = [
  'k8s.io/kubernetes/...',
  'k8s.io/apiextensions-apiserver/pkg/client/...',
  'k8s.io/cli-runtime/...',
  'k8s.io/client-go/applyconfigurations/...',
  'k8s.io/client-go/informers/...',
  'k8s.io/client-go/kubernetes/...',
  'k8s.io/client-go/listers/...',
  'k8s.io/cloud-provider/...',
  'k8s.io/component-helpers/...',
  'k8s.io/controller-manager/...',
  'k8s.io/cri-api/...',
  'k8s.io/dynamic-resource-allocation/...',
  'k8s.io/endpointslice/...',
  'k8s.io/kube-aggregator/...',
  'k8s.io/kube-scheduler/...',
  'k8s.io/kubectl/...',
  'k8s.io/kubelet/...',
  'k8s.io/metrics/...',
  'k8s.io/pod-security-admission/...',
  'sigs.k8s.io/kustomize/...',
  'sigs.k8s.io/kwok/...',
  'github.com/google/cadvisor/...',
  'github.com/grpc-ecosystem/...',
  'github.com/itchyny/...',
  'go.opentelemetry.io/...',
];

/** Handlers that pass content on, the telemetry of the registry, which no test reads, and its caches. */
const RARELY_RUN_IN_REGISTRY = [
  'github.com/distribution/...',
  'github.com/docker/...',
  'github.com/gorilla/...',
  'github.com/grpc-ecosystem/...',
  'github.com/klauspost/...',
  'github.com/prometheus/...',
  'github.com/redis/...',
  'go.opentelemetry.io/...',
  'google.golang.org/...',
];

/** In the order in which they are built: the slowest build first. */
export const TOOL_MODULES: readonly ToolModule[] = [
  {
    name: 'kubernetes',
    reportsVersionOf: 'k8s.io/kubernetes',
    unoptimized: RARELY_RUN,
    programs: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
      kubelet: 'k8s.io/kubernetes/cmd/kubelet',
      'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
      etcd: 'go.etcd.io/etcd/server/v3',
      kwok: 'sigs.k8s.io/kwok/cmd/kwok',
    },
  },
  {
    name: 'registry',
    unoptimized: RARELY_RUN_IN_REGISTRY,
    programs: { registry: 'slipway.dev/e2e/cluster/registry' },
  },
  { name: 'crane', programs: { crane: 'github.com/google/go-containerregistry/cmd/crane' } },
  {
    name: 'containerd',
    tags: ['no_btrfs', 'no_devmapper', 'no_zfs'],
    programs: {
      containerd: 'github.com/containerd/containerd/v2/cmd/containerd',
      'containerd-shim-runc-v2': 'github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2',
    },
  },
  { name: 'runc', cgo: true, tags: ['seccomp'], programs: { runc: 'github.com/opencontainers/runc' } },
  {
    name: 'cni',
    programs: {
      bridge: 'github.com/containernetworking/plugins/plugins/main/bridge',
      loopback: 'github.com/containernetworking/plugins/plugins/main/loopback',
      'host-local': 'github.com/containernetworking/plugins/plugins/ipam/host-local',
    },
  },
  { name: 'helm', programs: { helm: 'helm.sh/helm/v4/cmd/helm' } },
  {
    name: 'promtool',
    tags: ['remove_all_sd'],
    programs: { promtool: 'github.com/prometheus/prometheus/cmd/promtool' },
  },
  // The interpreter that Argo CD has built in, for its health checks.
  { name: 'glua', programs: { glua: 'github.com/yuin/gopher-lua/cmd/glua' } },
  { name: 'pod', programs: { pod: 'slipway.dev/e2e/cluster/pod' } },
  {
    name: 'olm',
    programs: {
      'olm-operator': 'github.com/operator-framework/operator-lifecycle-manager/cmd/olm',
      'catalog-operator': 'github.com/operator-framework/operator-lifecycle-manager/cmd/catalog',
      'olm-catalog': 'slipway.dev/e2e/cluster/olm',
    },
  },
  {
    name: 'olm-v1',
    // without it the images library needs a C library
    tags: ['containers_image_openpgp'],
    programs: {
      'operator-controller': 'github.com/operator-framework/operator-controller/cmd/operator-controller',
      catalogd: 'github.com/operator-framework/operator-controller/cmd/catalogd',
    },
  },
];

/** What every cluster is made of. */
export const CONTROL_PLANE_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'etcd',
  'kwok',
  'registry',
  'crane',
] as const;

/** What a real node needs besides. */
export const NODE_PROGRAMS = [
  'kubelet',
  'kube-proxy',
  'containerd',
  'containerd-shim-runc-v2',
  'runc',
  'bridge',
  'loopback',
  'host-local',
  'pod',
] as const;

/** What OLM v0 consists of, with a server of catalogs for it. */
export const OLM_PROGRAMS = ['olm-operator', 'catalog-operator', 'olm-catalog'] as const;

/** What OLM v1 consists of. */
export const OLM_V1_PROGRAMS = ['operator-controller', 'catalogd'] as const;

/** What checks the files of deploy/, beside kubectl. */
export const CHECK_PROGRAMS = ['helm', 'promtool', 'glua'] as const;

/** The programs that a cluster of these components needs: no other one is built for it. */
export function programsOf(
  components: readonly ComponentName[],
  { node, olm, olmV1 }: Pick<ClusterOptions, 'node' | 'olm' | 'olmV1'>,
): readonly string[] {
  const isComponent = (program: string): boolean => COMPONENTS.some((name) => name === program);
  const controlPlane = CONTROL_PLANE_PROGRAMS.filter(
    (program) => !isComponent(program) || components.some((name) => name === program),
  );
  return [
    ...controlPlane,
    ...(node === 'real' ? NODE_PROGRAMS : []),
    ...(olm === true ? OLM_PROGRAMS : []),
    ...(olmV1 === true ? OLM_V1_PROGRAMS : []),
  ];
}

/** The module that a program comes from; a program that no module has is a bug of the caller. */
export function moduleOf(program: string): ToolModule {
  const found = TOOL_MODULES.find(({ programs }) => Object.hasOwn(programs, program));
  if (found === undefined) throw new Error(`No module under e2e/cluster/modules builds ${program}`);
  return found;
}

/** Flags of `go build` by which the same sources give the same program in each folder. `make go-modules` has them too. */
export const REPEATABLE = ['-trimpath', '-buildvcs=false'];

/** The `-ldflags` of `go build`: no symbol tables, and the version that the program reports. */
export function linkerFlags({ reportsVersionOf }: ToolModule, goMod: string): string {
  const version = reportsVersionOf === undefined ? undefined : requiredVersion(goMod, reportsVersionOf);
  if (version === undefined) return '-s -w';
  const [major, minor] = version.replace(/^v/, '').split('.');
  const facts = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const set = Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-s', '-w', ...set].join(' ');
}

/**
 * The `-gcflags` of `go build`, each an argument: without debug information, a fifteenth less time; packages that are not
 * optimized take a third less. Of several patterns that a package matches Go takes the last.
 */
export function compilerFlags({ unoptimized = [] }: ToolModule): readonly string[] {
  return ['-gcflags=all=-dwarf=false', ...unoptimized.map((pattern) => `-gcflags=${pattern}=-dwarf=false -N -l`)];
}

/** The version at which a go.mod requires a module. */
function requiredVersion(goMod: string, module: string): string {
  const line = goMod.split('\n').find((text) => text.trim().startsWith(`${module} v`));
  const version = line?.trim().split(' ')[1];
  if (version === undefined) throw new Error(`The go.mod file does not require ${module}`);
  return version;
}
