/** The input of a rendering besides the bundle. */
import type { OperatorConfig } from '../../api/operator-config.ts';
import type { Bundle } from '../bundle.ts';

/** The issuer of the certificates of webhooks and APIServices; `none` renders nothing that needs one. */
export type Certificates = 'none' | 'manager' | 'cert-manager';

export interface RenderOptions {
  /** The namespace of the operator. */
  readonly namespace: string;
  /**
   * The namespaces to watch. Absent: all namespaces, or the operator's own if the bundle supports nothing else. `['']`:
   * all.
   */
  readonly watchNamespaces?: readonly string[];
  readonly config?: OperatorConfig;
  readonly certificates: Certificates;
  /** Whether the operator gets an OperatorCondition; by default it gets none. */
  readonly operatorCondition?: boolean;
  /** PEM of the certificate authorities by the Secret of the certificate that they signed; for `manager`. */
  readonly caBundles?: ReadonlyMap<string, string>;
}

/** The input of every generator. */
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
