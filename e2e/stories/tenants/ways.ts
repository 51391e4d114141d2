/** All ways of a tenant that are tried; docs/security.md lists them by name. */
import type { Way } from './ways-attacker.ts';
import { BLOCK } from './ways-block.ts';
import { DESTROY } from './ways-destroy.ts';
import { GAIN } from './ways-gain.ts';
import { LATE } from './ways-late.ts';
import { READ } from './ways-read.ts';
import { TRUST } from './ways-trust.ts';

export const WAYS: readonly Way[] = [...GAIN, ...DESTROY, ...BLOCK, ...LATE, ...READ, ...TRUST];
