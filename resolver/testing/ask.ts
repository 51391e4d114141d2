/** Asks the resolver about the package `op` and summarizes the answer, for tables of tests. */
import type { CatalogPackage, Deprecation, Property } from '../../catalog/model.ts';
import type { Decision } from '../decision.ts';
import { explainDecision } from '../explain.ts';
import type { CatalogSource, ResolveInput, Wanted } from '../input.ts';
import { resolve } from '../resolve.ts';
import { catalogOf } from './random-catalogs.ts';
import { expandPackage, type SmallPackage } from './small-catalogs.ts';

export interface Ask {
  readonly wanted?: Partial<Wanted>;
  readonly installed?: string;
  readonly origin?: string;
  /** Channel of the installed bundle. */
  readonly channel?: string;
  readonly catalogs: readonly CatalogSource[];
  readonly quarantined?: readonly string[];
  readonly cluster?: ResolveInput['cluster'];
  readonly expired?: () => boolean;
}

/** The decision about `op`, whose bundles are named `op.v<version>`. */
export function ask(asked: Ask): Decision {
  const { wanted, installed, origin = 'a', channel, catalogs, quarantined = [], cluster, expired } = asked;
  return resolve({
    wanted: { package: 'op', edges: 'Follow', dependencies: 'Install', ...wanted },
    ...(installed !== undefined && {
      installed: {
        bundle: `op.v${installed}`,
        version: installed,
        catalog: origin,
        image: 'x',
        ...(channel !== undefined && { channel }),
      },
    }),
    catalogs,
    quarantined,
    cluster: cluster ?? { providedKinds: [] },
    ...(expired !== undefined && { expired }),
  });
}

/** The explanation for people: the message, and the hint on a line of its own. */
export function reported(given: Ask): readonly string[] {
  const { message, hint } = explainDecision(ask(given), 'op');
  return hint === undefined ? [message] : [message, hint];
}

export interface Extras {
  /** Properties by version. */
  readonly properties?: Readonly<Record<string, readonly Property[]>>;
  readonly deprecations?: readonly Deprecation[];
}

/** A package with fields that the short form lacks. */
export function packageOf(
  name: string,
  small: SmallPackage,
  { properties = {}, deprecations = [] }: Extras = {},
): CatalogPackage {
  const content = expandPackage(name, small);
  return {
    ...content,
    bundles: content.bundles.map((bundle) => ({
      ...bundle,
      properties: [...bundle.properties, ...(properties[bundle.version] ?? [])],
    })),
    deprecations: [...content.deprecations, ...deprecations],
  };
}

/** A catalog that serves `op` in the short form, or packages as they are. */
export function serving(name: string, ...has: readonly (SmallPackage | CatalogPackage)[]): CatalogSource {
  return catalogOf(
    name,
    has.map((one) => ('name' in one ? one : expandPackage('op', one))),
  );
}

/** A package of one channel `stable`, each version replacing the one before. */
export function chainOf(...versions: readonly string[]): SmallPackage {
  const entries = versions.map((version, at) => {
    const replaces = versions[at - 1];
    return replaces === undefined ? { version } : { version, replaces };
  });
  return { bundles: versions, channels: { stable: entries } };
}
