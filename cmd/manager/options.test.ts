import { describe, expect, it } from 'vitest';
import { describeOptions, parseOptions } from './options.ts';

describe('the options of the manager', () => {
  it('have defaults, and flags win over the environment', () => {
    expect(parseOptions([], {})).toMatchObject({
      listen: ':8080',
      'listen-probes': ':8081',
      'leader-elect': true,
      concurrency: 16,
      'lease-seconds': 15,
      'pull-timeout': 600,
    });
    const both = parseOptions(['--concurrency', '4'], {
      SLIPWAY_CONCURRENCY: '8',
      SLIPWAY_LEADER_ELECT: 'false',
      SLIPWAY_PLAIN_HTTP: 'a:1, b,',
    });
    expect(both).toMatchObject({ concurrency: 4, 'leader-elect': false, 'plain-http': ['a:1', 'b'] });
  });

  it.each([
    { because: 'a number is a number', args: ['--concurrency', 'many'] },
    { because: 'there are bounds', args: ['--concurrency', '0'] },
    { because: 'no request waits for ever', args: ['--registry-timeout', '0'] },
    { because: 'no pull goes on for ever', args: ['--pull-timeout', '0'] },
    { because: 'a lease must be renewed in time', args: ['--lease-seconds', '1'] },
    { because: 'an unknown flag is a mistake', args: ['--colour', 'red'] },
    { because: 'an address has a port', args: ['--listen', 'localhost'] },
  ])('are refused where wrong: $because', ({ args }) => {
    expect(() => parseOptions(args, {})).toThrow(expect.objectContaining({ reason: 'InvalidConfiguration' }));
  });

  it('--help lists every option', () => {
    expect(describeOptions()).toContain('--data-folder');
  });
});
