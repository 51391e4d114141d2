import { BUNDLE_ANNOTATION } from '../annotations.ts';
import type { Check } from './check.ts';

const USUAL = ['candidate', 'fast', 'stable'];

/** Channels say by their names how mature they are. */
export const channelNames: Check = {
  name: 'channel-names',
  suite: 'good-practices',
  *run({ channels, defaultChannel = '' }) {
    const names = new Set([...channels, defaultChannel].map((channel) => channel.trim()));
    const unusual = [...names].filter((name) => name !== '' && !USUAL.some((prefix) => name.startsWith(prefix)));
    if (unusual.length === 0) return;
    yield {
      level: 'warning',
      file: 'metadata/annotations.yaml',
      path: `annotations[${BUNDLE_ANNOTATION.channels}]`,
      message: `the name of the channel ${unusual.map((name) => `"${name}"`).join(', ')} does not say how mature it is`,
      advice: `Let it start with ${USUAL.join(', ')}: https://olm.operatorframework.io/docs/best-practices/channel-naming`,
    };
  },
};
