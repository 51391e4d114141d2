/**
 * Everything that real bundles bring meets a real API server: CRDs come back as their publishers wrote them, and
 * what is rendered of the channels' heads is taken, or the reason why not was known before anything was applied. `make
 * corpus` takes every bundle; `make test`, a sample with each class of CRDs and heads that are refused.
 */
import { NEVER } from '../../../api/testing/never.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { ReasonedError } from '../../../api/errors.ts';
import { canonicalJson } from '../../../api/json.ts';
import { describeRef, refOf, type KubeObject } from '../../../api/object.ts';
import { applyRevision } from '../../../apply/apply.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import { createSlots } from '../../../apply/slots.ts';
import { createObject } from '../../../apply/write.ts';
import { renderBundle, supportedModes } from '../../../bundles/render/render.ts';
import { validateBundle, type BundleFinding } from '../../../bundles/validate/validate.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport } from '../../../kube/transport/transport.ts';
import { FOR_MANY_KINDS, useCluster } from '../../lib/cluster.ts';
import { byExtent, sampleOf } from '../../lib/sample.ts';
import { hasShared } from '../../lib/shared.ts';
import { until } from '../../lib/until.ts';
import { differencesOf } from './differences.ts';
import { bundleNames, loadBundle, loadCatalog, pickHeads, type PublishedBundle } from './load.ts';

/** Bundles that one of twenty does not meet, each with the reason why the sample needs it. */
const RARE: ReadonlyMap<string, string> = new Map([
  ['aqua/6.2.1', 'CRDs that no API server takes'],
  ['aqua/6.5.2', 'another one'],
  ['ember-csi-operator/0.9.4', 'a head that is refused'],
  ['limitador-operator/0.11.0', 'the head of which one object is spoilt'],
  ['cert-manager/1.16.1', 'the kinds Certificate and Issuer, which other heads render'],
  ['prometheus/0.70.0', 'the kinds ServiceMonitor and PrometheusRule, which other heads have'],
]);

/** Fields that the API server adds to a CRD, and those that Go leaves out when it writes one: the same CRD. */
const DEFAULTS: readonly { readonly difference: RegExp; readonly because: string }[] = [
  { difference: /^added spec\.conversion={"strategy":"None"}$/, because: 'no conversion is the default' },
  { difference: /^added spec\.conversion\.webhook\.clientConfig\.service\.port=443$/, because: 'the port of HTTPS' },
  { difference: /^added spec\.names\.(listKind|singular)="/, because: 'made of the kind' },
  { difference: /^lost spec\.names\.categories=\[\]$/, because: 'an empty list is left out' },
  { difference: /^lost spec\.preserveUnknownFields=false$/, because: 'false is left out' },
  { difference: /^lost .*\.additionalPrinterColumns\[\]\.priority=0$/, because: 'zero is left out' },
];

/** CRDs of v1 that no API server takes, by folder; none is of a channel's head. All are refused before it is asked. */
const REFUSED_CRDS = { 'aqua/6.2.1': 7, 'aqua/6.5.2': 1 };

/** Heads that are refused when they are rendered, for CRDs of v1beta1: how many, by package. */
const ALL_REFUSED_HEADS: ReadonlyMap<string, number> = new Map([
  ['aqua', 3],
  ['ember-csi-operator', 1],
  ['enmasse', 1],
  ['ext-postgres-operator', 1],
  ['hive-operator', 2],
  ['kong', 1],
  ['mariadb-operator-app', 1],
  ['multicluster-operators-subscription', 4],
  ['pystol', 1],
  ['yugabyte-operator', 1],
]);

const SAMPLE_REFUSED_HEADS: typeof ALL_REFUSED_HEADS = new Map([['ember-csi-operator', 1]]);
const REFUSED_HEADS = byExtent({ all: ALL_REFUSED_HEADS, sample: SAMPLE_REFUSED_HEADS });

/** Who everything belongs to. */
const OWNER = { namespace: 'operators', name: 'all' };

/** Where everything else on the machine is busy, too. */
const timeout = 600_000;

describe.skipIf(!hasShared)('the bundles of the dev set', { timeout }, () => {
  const cluster = useCluster(FOR_MANY_KINDS);
  const slots = createSlots(8);
  let client: Client;
  let bundles: readonly PublishedBundle[];
  let heads: readonly PublishedBundle[];

  beforeAll(async () => {
    const { config } = await loadKubeconfig(cluster().kubeconfig);
    client = createClient(createTransport(config));
    bundles = sampleOf(bundleNames(), { every: 20, also: (name) => RARE.has(name) }).flatMap(loadBundle);
    heads = pickHeads(loadCatalog(), bundles, byExtent({ all: 'published', sample: 'sampled' }));
  });

  function inParallel<Item, Result>(items: readonly Item[], task: (item: Item) => Promise<Result>): Promise<Result[]> {
    return Promise.all(items.map((item) => slots(() => task(item))));
  }

  test('have CRDs that the API server returns as they were published, except for defaults', async () => {
    const crds = distinctCrds(bundles);
    const refused: Crd[] = [];
    await inParallel(crds, async (crd) => {
      const { folder, published, prepared } = crd;
      try {
        const answer = await createObject(client, prepared, { signal: NEVER, dryRun: true });
        expect(unexplained(published, answer), `${folder} ${answer.metadata.name}`).toEqual([]);
      } catch (error) {
        if (!(error instanceof ReasonedError)) throw error;
        refused.push(crd);
      }
    });
    const names = (list: readonly Crd[]): readonly string[] =>
      list.map(({ folder, published }) => `${folder} ${published.metadata.name}`).sort();
    const foreseen = crds.filter(({ wrong }) => wrong.length > 0);
    expect(names(foreseen)).toEqual(names(refused));
    const byFolder = [...Map.groupBy(refused, ({ folder }) => folder)].map(([folder, { length }]) => [folder, length]);
    expect(Object.fromEntries(byFolder)).toEqual(REFUSED_CRDS);
    const equal = crds.length - refused.length;
    report(`${crds.length} CRDs differ in content: ${equal} come back equal, ${refused.length} are refused`);
  });

  describe('that are heads of channels', () => {
    let sets: readonly ObjectSet[];

    test('are rendered, or refused for an object that no API server accepts any more', () => {
      const rendered = heads.map(renderHead);
      sets = rendered.filter((one) => 'objects' in one);
      const refused = rendered.filter((one) => 'refusal' in one);
      for (const { refusal } of refused) {
        expect(refusal.reason).toBe('BundleUnsupported');
        expect(refusal.message).toContain('apiextensions.k8s.io/v1beta1');
      }
      const counts = Map.groupBy(refused, ({ package: name }) => name);
      expect(new Map([...counts].map(([name, { length }]) => [name, length]))).toEqual(REFUSED_HEADS);
      const objects = sets.flatMap((set) => set.objects).length;
      report(`${heads.length} heads: ${sets.length} rendered to ${objects} objects, ${refused.length} refused`);
    });

    test('have CRDs that are applied, and read back as they were published', async () => {
      const crds = [...new Map(sets.flatMap(crdsOf).map((crd) => [crd.prepared.metadata.name, crd])).values()];
      const objects = crds.map(({ prepared }) => prepared);
      const { failures } = await applyRevision(client, { signal: NEVER, objects, previousInventory: [] });
      expect(failures).toEqual([]);
      await inParallel(crds, async ({ published, prepared }) => {
        const stored = await client.get(refOf(prepared));
        expect(unexplained(published, stored as KubeObject), prepared.metadata.name).toEqual([]);
      });
      report(`${crds.length} CRDs are applied and read back equal`);
    });

    test('render to objects that the API server accepts, all of them', async () => {
      await makeNamespaces();
      await awaitKinds();
      const objects = sets.flatMap((set) => set.objects.filter(isNoCrd).map((object) => ({ set, object })));
      const judged = await inParallel(objects, async ({ set, object }) => ({ set, object, ...(await judge(object)) }));
      const refused = judged.filter(({ refusal }) => refusal !== undefined);
      expect(refused.map(({ set, refusal }) => `${set.package}: ${refusal}`)).toEqual([]);
      const lenient = judged.filter(({ strictly }) => !strictly);
      report(`${judged.length} objects: all taken, ${lenient.length} of them not under strict validation`);
    });

    test('are refused as a whole if one object is refused: nothing is written', async () => {
      const whole = sets.find(({ package: name }) => name === 'limitador-operator')?.objects ?? [];
      const objects = whole.map((object) => (object.kind === 'Deployment' ? withForeignSelector(object) : object));
      expect(objects).not.toEqual(whole);
      const written: string[] = [];
      const { state, failures } = await applyRevision(recorded(client, written), {
        signal: NEVER,
        objects,
        previousInventory: [],
      });
      expect(state).toBe('Failed');
      expect(failures.map(({ reason }) => reason)).toContain('ObjectInvalid');
      expect(written).toEqual([]);
    });

    async function makeNamespaces(): Promise<void> {
      const names = new Set(sets.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata.namespace ?? [])));
      await inParallel([...names], async (name) => {
        const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
        await client.apply(namespace);
      });
    }

    /** A CRD is served a while after it is applied. */
    async function awaitKinds(): Promise<void> {
      const kinds = new Map(
        sets.flatMap(({ objects }) =>
          objects.map(({ apiVersion, kind }) => [`${kind}.${apiVersion}`, { apiVersion, kind }]),
        ),
      );
      const missing = new Map(kinds);
      await until(
        'every kind is served',
        async () => {
          client.discovery.invalidate();
          for (const [name, kind] of missing) if ((await client.isNamespaced(kind)) !== undefined) missing.delete(name);
          return missing.size === 0;
        },
        { timeoutSeconds: 300, explain: () => [...missing.keys()].join('\n') },
      );
    }

    async function judge(object: KubeObject): Promise<{ readonly strictly: boolean; readonly refusal?: string }> {
      try {
        await client.apply(object, { dryRun: true, force: true, fieldValidation: 'Strict' });
        return { strictly: true };
      } catch {
        return createObject(client, object, { signal: NEVER, dryRun: true }).then(
          () => ({ strictly: false }),
          (error: Error) => ({ strictly: false, refusal: error.message }),
        );
      }
    }
  });
});

/** A Deployment whose Pods are not its own, which only the API server notices. */
function withForeignSelector(deployment: KubeObject): KubeObject {
  return { ...deployment, spec: { ...(deployment['spec'] as object), selector: { matchLabels: { app: 'foreign' } } } };
}

interface Crd {
  readonly folder: string;
  /** What the checks of the bundle say of it. */
  readonly wrong: readonly BundleFinding[];
  readonly published: KubeObject;
  readonly prepared: KubeObject;
}

interface ObjectSet extends PublishedBundle {
  readonly package: string;
  readonly objects: readonly KubeObject[];
}

/** The CRDs of v1 of all bundles, each content once. */
function distinctCrds(bundles: readonly PublishedBundle[]): readonly Crd[] {
  const found = new Map<string, Crd>();
  for (const { folder, bundle } of bundles) {
    const findings = validateBundle(bundle, { suites: ['install'] }).filter(({ level }) => level === 'error');
    for (const { file, object } of bundle.crds) {
      const content = canonicalJson(object);
      if (object.apiVersion !== CRD_VERSION || found.has(content)) continue;
      const wrong = findings.filter((one) => one.file === file && one.object?.endsWith(` ${object.metadata.name}`));
      found.set(content, { folder, wrong, published: object, prepared: prepare([object], bundle.package)[0]! });
    }
  }
  return [...found.values()];
}

const CRD_VERSION = 'apiextensions.k8s.io/v1';

/** The CRDs of a head; if the bundle has a conversion webhook, its CRD is published without it. */
function crdsOf({ folder, bundle, objects }: ObjectSet): readonly Crd[] {
  const crds = new Map(bundle.crds.map(({ object }) => [object.metadata.name, object]));
  return objects
    .filter((object) => !isNoCrd(object))
    .map((prepared) => {
      const object = crds.get(prepared.metadata.name)!;
      const { conversion } = prepared['spec'] as { readonly conversion?: unknown };
      const spec = { ...(object['spec'] as object), ...(conversion !== undefined && { conversion }) };
      return { folder, wrong: [], prepared, published: { ...object, spec } };
    });
}

function isNoCrd({ kind }: KubeObject): boolean {
  return kind !== 'CustomResourceDefinition';
}

function prepare(objects: readonly KubeObject[], namespace: string): readonly KubeObject[] {
  return prepareObjects(objects, { owner: OWNER, package: namespace, revision: 'all-1', installNamespace: namespace });
}

type Rendered = ObjectSet | { readonly package: string; readonly refusal: ReasonedError };

function renderHead(published: PublishedBundle): Rendered {
  const { bundle } = published;
  const { package: name } = bundle;
  const modes = supportedModes(bundle);
  const anywhere = modes.includes('AllNamespaces') || modes.includes('OwnNamespace');
  const options = { namespace: name, certificates: 'cert-manager' as const };
  try {
    const objects = renderBundle(bundle, anywhere ? options : { ...options, watchNamespaces: ['watched'] });
    return { ...published, package: name, objects: prepare(objects, name) };
  } catch (error) {
    if (error instanceof ReasonedError) return { package: name, refusal: error };
    throw error;
  }
}

/** Where a CRD of the API server says something else than the published one, beyond known defaults. */
function unexplained(published: KubeObject, answer: KubeObject): readonly string[] {
  const found = differencesOf(published['spec'], answer['spec'], 'spec');
  return found.filter((one) => !DEFAULTS.some(({ difference }) => difference.test(one)));
}

/** The same cluster, with every write that counts noted. */
function recorded(client: Client, written: string[]): Cluster {
  const note = (ref: Parameters<typeof describeRef>[0]): void => void written.push(describeRef(ref));
  return {
    ...client,
    async apply(object, options, signal) {
      if (options?.dryRun !== true) note(refOf(object));
      return client.apply(object, options, signal);
    },
    async create(object, options, signal) {
      if (options?.dryRun !== true) note(refOf(object));
      return client.create(object, options, signal);
    },
    async patch(ref, ...rest) {
      note(ref);
      return client.patch(ref, ...rest);
    },
    async delete(ref, ...rest) {
      note(ref);
      return client.delete(ref, ...rest);
    },
  };
}

function report(line: string): void {
  process.stdout.write(`dev set: ${line}\n`);
}
