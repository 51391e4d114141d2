import { BUNDLE_ANNOTATION } from '../annotations.ts';
import type { Check } from './check.ts';

const EXPECTED = new Map<string, string>([
  [BUNDLE_ANNOTATION.mediatype, 'registry+v1'],
  [BUNDLE_ANNOTATION.manifests, 'manifests/'],
  [BUNDLE_ANNOTATION.metadata, 'metadata/'],
]);

/** The annotations name the folders of the bundle and its channels. */
export const metadataAnnotations: Check = {
  name: 'metadata-annotations',
  suite: 'format',
  *run({ annotations, channels, defaultChannel = '' }) {
    const file = 'metadata/annotations.yaml';
    for (const [key, wanted] of EXPECTED) {
      const value = annotations.get(key);
      if (value === wanted) continue;
      const message = value === undefined ? `the annotation ${key} is missing` : `the annotation ${key} is "${value}"`;
      yield { level: 'warning', file, path: `annotations[${key}]`, message, advice: `Set it to ${wanted}` };
    }
    const path = `annotations[${BUNDLE_ANNOTATION.channels}]`;
    if (channels.length === 0) {
      yield { level: 'warning', file, path, message: 'the bundle is in no channel', advice: 'Add the annotation' };
    }
    for (const channel of channels) {
      if (channel === channel.trim()) continue;
      const message = `the channel "${channel}" has white space around its name, which is part of it`;
      yield { level: 'warning', file, path, message, advice: 'Separate channels by a comma alone' };
    }
    if (defaultChannel === '' || channels.includes(defaultChannel)) return;
    const message = `the default channel "${defaultChannel}" is not among the channels of the bundle`;
    const advice = 'That is allowed; make sure that another bundle of the package has it';
    yield { level: 'warning', file, path: `annotations[${BUNDLE_ANNOTATION.defaultChannel}]`, message, advice };
  },
};
