/** Reads one file of a bundle; an error in its YAML becomes an error that names the file. */
import { ReasonedError } from '../api/errors.ts';
import { parseYaml, YamlError, type YamlDocument, type YamlLimits } from './yaml.ts';

/** Its documents. @throws ReasonedError BundleInvalid or BundleTooLarge. */
export function readFile(file: string, bytes: Uint8Array, limits: YamlLimits): readonly YamlDocument[] {
  try {
    return parseYaml(bytes, limits);
  } catch (error) {
    throw error instanceof YamlError ? unreadable(file, error) : error;
  }
}

/** The error for a file of a bundle that cannot be read: BundleInvalid or BundleTooLarge. */
export function unreadable(file: string, error: YamlError): ReasonedError {
  return new ReasonedError({
    reason: error.kind === 'limit' ? 'BundleTooLarge' : 'BundleInvalid',
    retry: 'never',
    message: `${file}: ${error.message}`,
    hint:
      error.kind === 'limit'
        ? 'Split the file, use fewer aliases, or leave out unneeded values'
        : 'Correct the YAML of the file',
  });
}
