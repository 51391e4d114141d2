/** Any bundle, configuration, Dockerfile or quantity is parsed, or refused with a reason. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { formatJson } from '../api/json.ts';
import { OperatorConfig } from '../api/operator-config.ts';
import { parseBundle, type Bundle } from './parse.ts';
import { renderBundle, supportedModes, type RenderOptions } from './render/render.ts';
import { requiredIn } from './render/required-certificates.ts';
import { makeBundle, makeDeployment } from './testing/bundle.ts';
import { mutated, mutatedFiles, MUTATIONS, WHOLE_BUNDLE } from './testing/mutations.ts';
import { orRefused } from './testing/or-refused.ts';
import { canonicalQuantity } from './typed/quantity.ts';
import { validateBundle } from './validate/validate.ts';

const RUNS = 400;
const ISSUERS = ['none', 'manager', 'cert-manager'] as const;

function optionsFor(bundle: Bundle, certificates: RenderOptions['certificates']): RenderOptions {
  const watch = { AllNamespaces: [''], OwnNamespace: ['ops'], SingleNamespace: ['a'], MultiNamespace: ['a', 'b'] };
  const [mode] = supportedModes(bundle);
  return { namespace: 'ops', certificates, ...(mode !== undefined && { watchNamespaces: watch[mode] }) };
}

describe('a bundle with something odd in it', { timeout: 120_000 }, () => {
  it('without the odd value, the bundle is rendered in every mode', () => {
    const bundle = parseBundle(WHOLE_BUNDLE);
    const kinds = (certificates: RenderOptions['certificates']): readonly string[] =>
      renderBundle(bundle, optionsFor(bundle, certificates)).map(({ kind }) => kind);
    expect(new Set(kinds('cert-manager')).size).toBe(16);
    expect(kinds('none').length).toBeLessThan(kinds('manager').length);
    expect(validateBundle(bundle, { files: WHOLE_BUNDLE }).filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('a bundle with an odd value is parsed, checked, rendered, or refused with a reason', () => {
    const seen = { read: 0, rendered: 0, errors: 0 };
    const property = fc.property(MUTATIONS, fc.constantFrom(...ISSUERS), (mutations, certificates) => {
      const files = mutatedFiles(mutations);
      const bundle = orRefused(() => parseBundle(files));
      if (bundle === undefined) return;
      seen.read += 1;
      const findings = validateBundle(bundle, { files, dockerfile: 'LABEL com.redhat.openshift.versions=v4.6' });
      for (const finding of findings) {
        expect(finding.advice).not.toBe('');
        expect(finding.message).not.toMatch(/undefined|\[object/);
        seen.errors += finding.level === 'error' ? 1 : 0;
      }
      const options = optionsFor(bundle, certificates);
      const rendered = orRefused(() => renderBundle(bundle, options));
      if (rendered === undefined) return;
      requiredIn(rendered);
      seen.rendered += 1;
      expect(formatJson(renderBundle(bundle, options))).toBe(formatJson(rendered));
    });
    fc.assert(property, { numRuns: RUNS });
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(RUNS / 10);
  });
});

const BETA = { apiVersion: 'rbac.authorization.k8s.io/v1beta1', kind: 'Role', metadata: { name: 'r' }, rules: [] };
const LABEL = 'com.redhat.openshift.versions';

describe('a Dockerfile', { timeout: 120_000 }, () => {
  const piece = fc.constantFrom('FROM scratch\n', 'LABEL ', LABEL, '=', '"', "'", 'v4.6', '-', '\\\n', '\n', ' ', ',');
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }));
  const bundle = makeBundle({ objects: [BETA] });

  it('any Dockerfile has a label that keeps old bundles away from new clusters, or a finding says so', () => {
    const property = fc.property(text, (parts) => {
      const dockerfile = typeof parts === 'string' ? parts : parts.join('');
      const found = validateBundle(bundle, { dockerfile }).filter(({ check }) => check === 'openshift-label');
      expect(found.length).toBeLessThanOrEqual(1);
      for (const { level, advice } of found)
        expect({ level, hasAdvice: advice !== '' }).toEqual({ level: 'error', hasAdvice: true });
      if (found.length === 0) expect(dockerfile).toContain(LABEL);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it.each([
    `${LABEL}=`.repeat(100_000),
    `${LABEL}${' '.repeat(1_000_000)}`,
    `${LABEL}="v4.6-${'9'.repeat(1_000_000)}"`,
  ])('is read in one go, however long', (dockerfile) => {
    const found = validateBundle(bundle, { dockerfile }).filter(({ check }) => check === 'openshift-label');
    expect(found).toMatchObject([{ level: 'error' }]);
  });
});

describe('a quantity', () => {
  const digits = fc.oneof(fc.stringMatching(/^\d{0,20}$/), fc.stringMatching(/^0{0,30}\d{0,3}$/));
  const suffix = fc.constantFrom(
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'E',
    'Ki',
    'Mi',
    'Ei',
    'e3',
    'E-9',
    'e-999',
    'x',
  );
  const written = fc
    .tuple(fc.constantFrom('', '-', '+'), digits, fc.constantFrom('', '.'), digits, suffix)
    .map((parts) => parts.join(''));

  it('a text is no quantity, or has a canonical form that stays as it is', () => {
    const seen = { none: 0, canonical: 0 };
    const property = fc.property(fc.oneof(written, fc.string()), (text) => {
      const canonical = canonicalQuantity(text);
      seen[canonical === undefined ? 'none' : 'canonical'] += 1;
      if (canonical !== undefined) expect(canonicalQuantity(canonical)).toBe(canonical);
    });
    fc.assert(property, { numRuns: runsOf(10) * RUNS });
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(RUNS);
  });
});

describe('a configuration with something odd in it', { timeout: 120_000 }, () => {
  const env = [
    { name: 'LEVEL', value: 'debug' },
    { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ];
  const forContainers = {
    env,
    envFrom: [{ prefix: 'A_', secretRef: { name: 's', optional: true } }],
    resources: { limits: { cpu: '0.5' }, requests: { memory: 1_000_000 }, claims: [{ name: 'c' }] },
    volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
    args: ['-v'],
  };
  const forPods = {
    nodeSelector: { a: 'b' },
    tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 3 }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    volumes: [{ name: 'v', secret: { secretName: 's', items: [{ key: 'a', path: 'b' }] } }],
    annotations: { a: 'b' },
    labels: { c: 'd' },
    replicas: 2,
  };
  const containers = [{ name: 'manager', ...forContainers }];
  const config = {
    ...forContainers,
    ...forPods,
    deployments: [{ name: 'd', ...forContainers, ...forPods, containers }],
  };
  const bundle = makeBundle({ deployments: [makeDeployment('d')] });
  const options = { namespace: 'ops', certificates: 'manager' } as const;

  it('a configuration with an odd value changes the Deployments, or is refused by the API or with its path', () => {
    const seen = { refusedByApi: 0, rendered: 0, refused: 0 };
    const property = fc.property(MUTATIONS, (mutations) => {
      const read = OperatorConfig.safeParse(mutated(config, mutations));
      if (!read.success) return void (seen.refusedByApi += 1);
      const rendered = orRefused(() => renderBundle(bundle, { ...options, config: read.data as OperatorConfig }));
      seen[rendered === undefined ? 'refused' : 'rendered'] += 1;
      if (rendered !== undefined) formatJson(rendered);
    });
    fc.assert(property, { numRuns: RUNS });
    // the API refuses most of them
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(RUNS / 100);
    expect(renderBundle(bundle, { ...options, config })).toHaveLength(1);
  });
});
