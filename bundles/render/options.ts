/** What a rendering depends on besides the bundle. */
import type { OperatorConfig } from '../../api/operator-config.ts';
import type { Bundle } from '../bundle.ts';

/** Who issues the certificates of webhooks and APIServices; `none` renders nothing that needs one. */
export type Certificates = 'none' | 'manager' | 'cert-manager';

export interface RenderOptions {
  /** Where the operator is installed. */
  readonly namespace: string;
  /** What it watches; absent is all namespaces, or its own where the bundle supports nothing else. `['']` is all. */
  readonly watchNamespaces?: readonly string[];
  readonly config?: OperatorConfig;
  readonly certificates: Certificates;
  /** PEM of the certificate authorities by the Secret of the certificate that they signed; for `manager`. */
  readonly caBundles?: ReadonlyMap<string, string>;
}

/** What every generator gets. */
export interface RenderContext {
  readonly bundle: Bundle;
  readonly options: RenderOptions;
  /** The namespaces to watch; `['']` is all. */
  readonly targets: readonly string[];
}

/** Whether all namespaces are watched. */
export function watchesAll({ targets }: RenderContext): boolean {
  return targets.length === 1 && targets[0] === '';
}
