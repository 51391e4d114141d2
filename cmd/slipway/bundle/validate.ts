/** `slipway bundle validate`: everything that keeps a bundle from being installed or published, or that is advice. */
import { ReasonedError } from '../../../api/errors.ts';
import { describeRef, refOf, type ObjectRef } from '../../../api/object.ts';
import { leaveOutImpossible } from '../../../apply/impossible.ts';
import { parseBundle, type Bundle } from '../../../bundles/parse.ts';
import {
  SUITES,
  validateBundle,
  type CheckOptions,
  type BundleFinding,
  type Suite,
} from '../../../bundles/validate/validate.ts';
import type { Environment } from '../environment.ts';
import { readBundle, type BundleInput } from '../input/bundle.ts';
import { readOneFile } from '../input/files.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { judge, printFindings, type FindingsStyle, type Strictness } from '../output/findings.ts';
import { withoutRepeats } from './repeats.ts';
import { identityOf, type BundleIdentity } from './identity.ts';

export interface BundleValidateFlags extends RegistryFlags, Strictness, FindingsStyle {
  readonly suite?: readonly Suite[];
  readonly kubernetesVersion?: string;
  readonly category?: readonly string[];
  readonly dockerfile?: string;
}

/** A bundle that cannot be read at all has that as its only finding. */
export async function validate(environment: Environment, source: string, flags: BundleValidateFlags): Promise<Outcome> {
  const input = await readBundle(environment, source, flags);
  const options = await optionsOf(environment, flags);
  const { identity, findings } = examine(input, options);
  const verdict = judge(findings, flags);
  return {
    data: {
      source,
      ...(input.image !== undefined && { digest: input.image.digest }),
      ...identity,
      ...verdict.counts,
      findings,
    },
    text: printFindings(
      findings.map(({ level, check, file, object, path, message, advice }) => ({
        level,
        rule: check,
        where: [file, object, path].filter((part) => part !== undefined),
        message,
        advice,
      })),
      flags,
      environment,
    ),
    exitCode: verdict.exitCode,
  };
}

type ValidateOptions = CheckOptions & { readonly suites: readonly Suite[] };

/**
 * The rules of OpenShift's catalog of community operators apply on request, or if the bundle has OpenShift's labels.
 */
function suitesOf({ suite, dockerfile }: BundleValidateFlags): readonly Suite[] {
  return suite ?? (dockerfile === undefined ? SUITES.filter((name) => name !== 'community') : SUITES);
}

async function optionsOf(environment: Environment, flags: BundleValidateFlags): Promise<ValidateOptions> {
  const { kubernetesVersion, category, dockerfile } = flags;
  return {
    suites: suitesOf(flags),
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    ...(category !== undefined && { categories: category }),
    ...(dockerfile !== undefined && {
      dockerfile: new TextDecoder().decode(await readOneFile(environment, dockerfile)),
    }),
  };
}

interface Examined {
  readonly identity: Partial<BundleIdentity>;
  readonly findings: readonly BundleFinding[];
}

function examine({ files }: BundleInput, options: ValidateOptions): Examined {
  try {
    const bundle = parseBundle(files);
    const findings = [...validateBundle(bundle, { files, ...options }), ...findImpossible(bundle, options)];
    return { identity: identityOf(bundle), findings: withoutRepeats(findings) };
  } catch (error) {
    if (!(error instanceof ReasonedError) || !error.reason.startsWith('Bundle')) throw error;
    return { identity: {}, findings: [unreadable(error)] };
  }
}

/** Objects that their CRD in the bundle refuses: no cluster has ever had one, and none is installed. */
function findImpossible({ crds, objects }: Bundle, { suites }: ValidateOptions): readonly BundleFinding[] {
  if (!suites.includes('install')) return [];
  const files = new Map(objects.map(({ file, object }) => [describeRef(refOf(object)), file]));
  const { leftOut, notJudged } = leaveOutImpossible([...crds, ...objects].map(({ object }) => object));
  const of = (ref: ObjectRef): Pick<BundleFinding, 'level' | 'check' | 'file' | 'object'> => {
    const object = describeRef(ref);
    const file = files.get(object);
    return { level: 'warning', check: 'own-objects', ...(file !== undefined && { file }), object };
  };
  return [
    ...leftOut.map(({ ref, message }) => ({
      ...of(ref),
      message: `its CRD refuses it, so it is left out when the bundle is installed: ${message}`,
      advice: 'Correct it, or move the sample to the annotation alm-examples of the ClusterServiceVersion',
    })),
    ...notJudged.map((ref) => ({
      ...of(ref),
      message: 'it or the schema of its CRD is too large to be checked, so only the API server checks it',
      advice: 'Shorten it, or apply it to a cluster with the CRD to see whether the API server takes it',
    })),
  ];
}

function unreadable({ message, hint }: ReasonedError): BundleFinding {
  return { level: 'error', check: 'readable', message, advice: hint ?? 'Correct the file' };
}
