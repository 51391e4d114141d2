/** Every kind of the group `slipway.dev`: CRDs, documentation and the CLI go through this list. */
import { CATALOG } from './catalog.ts';
import { REVISION } from './revision.ts';
import { SUBSCRIPTION } from './subscription.ts';

export const KINDS = [CATALOG, SUBSCRIPTION, REVISION] as const;
