/** Refuses the files of a bundle that are too many or too large together, before one of them is parsed. Pure. */
import { ReasonedError } from '../api/errors.ts';
import { DEFAULT_BUNDLE_LIMITS, type BundleLimits } from './limits.ts';
import { mostNodes } from './yaml/limits.ts';

/** @throws ReasonedError BundleTooLarge, never retried. */
export function checkBundleSize(
  files: ReadonlyMap<string, Uint8Array>,
  { maxFiles, maxTotalBytes, maxValues }: BundleLimits = DEFAULT_BUNDLE_LIMITS,
): void {
  if (files.size > maxFiles) throw tooLarge(`the bundle has more than ${maxFiles} files`);
  let total = 0;
  for (const bytes of files.values()) total += bytes.length;
  if (total > maxTotalBytes) throw tooLarge(`the files of the bundle have more than ${maxTotalBytes} bytes together`);
  let values = 0;
  for (const bytes of files.values()) values += mostNodes(bytes);
  if (values > maxValues) throw tooLarge(`the files of the bundle have more than ${maxValues} values together`);
}

/** Of a bundle that would take too much time or memory. */
export function tooLarge(message: string): ReasonedError {
  return new ReasonedError({ reason: 'BundleTooLarge', retry: 'never', message });
}
