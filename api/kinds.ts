/** Every kind of the group `slipway.dev`: the source for CRDs, documentation and the CLI. */
import { CATALOG } from './catalog.ts';
import { REGISTRY_POLICY } from './registry-policy.ts';
import { REVISION } from './revision.ts';
import { SUBSCRIPTION } from './subscription.ts';

export const KINDS = [CATALOG, SUBSCRIPTION, REVISION, REGISTRY_POLICY] as const;
