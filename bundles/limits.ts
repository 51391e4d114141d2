/** How large a bundle may be: several times the largest published one, which has 6.8 MB in 150 objects. */
import { DEFAULT_YAML_LIMITS, type YamlLimits } from './yaml.ts';

export interface BundleLimits extends YamlLimits {
  readonly maxFiles: number;
  /** Of all files together. */
  readonly maxTotalBytes: number;
  readonly maxObjects: number;
  /** Of all files together: in memory a value may take twenty times its bytes, and a million take five seconds of the only thread. */
  readonly maxValues: number;
}

export const DEFAULT_BUNDLE_LIMITS: BundleLimits = {
  ...DEFAULT_YAML_LIMITS,
  maxFiles: 1000,
  maxTotalBytes: 32 << 20,
  maxObjects: 1000,
  maxValues: 1_000_000,
};
