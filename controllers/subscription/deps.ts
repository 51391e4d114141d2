/** The dependencies of the reconciler of Subscriptions. */
import type { Catalog } from '../../api/catalog.ts';
import type { Cluster } from '../../api/cluster.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { UpgradePolicy } from '../../api/upgrade-policy.ts';
import type { RequiredCertificate } from '../../bundles/render/required-certificates.ts';
import type { Advance } from './adoption/advance.ts';
import type { RenderPinned } from './adoption/pinned.ts';
import type { BundleSources } from '../bundle-sources.ts';
import type { ServerFactsSource } from '../cluster-facts.ts';
import type { RecordEvent } from '../events.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import type { RegistryPolicies } from '../registry-policies.ts';
import type { CheckSignatures } from '../signature-checks.ts';
import type { BundlesAhead } from './ahead.ts';
import type { SubscriptionCaches } from './observe.ts';
import type { RemovalDeps } from './remove.ts';

export interface SubscriptionDeps {
  readonly caches: SubscriptionCaches;
  readonly cluster: Cluster;
  readonly server: ServerFactsSource;
  readonly bundles: BundleSources;
  /** A Catalog by its name. */
  readonly catalogOf: (name: string) => Pick<Catalog, 'metadata' | 'spec'> | undefined;
  readonly checkSignatures: CheckSignatures;
  readonly policies: RegistryPolicies;
  /** Receives manifests while they are stored. */
  readonly handed?: Pick<HandedManifests, 'put' | 'drop'>;
  /** The upgrade policy of the manager, for Subscriptions and namespaces without one. */
  readonly upgradePolicy?: UpgradePolicy | undefined;
  /** Bundles that are prepared before they are requested; by default none. */
  readonly ahead?: Pick<BundlesAhead, 'begin' | 'take' | 'drop' | 'noteWork'>;
  /** Called when a bundle is prepared for which certificates are to be issued; by default nothing happens. */
  readonly foreseeCertificates?: () => void;
  /** Begins to issue the certificates of a Revision that is about to be created; by default nothing happens. */
  readonly issueAhead?: (required: readonly RequiredCertificate[], namespace: string) => void;
  /** Carries out `spec.adopt`; by default it has no effect. */
  readonly adopt?: (subscription: Subscription, signal: AbortSignal, render: RenderPinned) => Promise<Advance>;
  /** Ends with the uninstall what an adoption has left; by default nothing. */
  readonly endAdoption?: NonNullable<RemovalDeps['endAdoption']>;
  /** Asked before an operator is uninstalled; by default none is on its way back to OLM. */
  readonly wayBackOf?: NonNullable<RemovalDeps['wayBackOf']>;
  readonly record: RecordEvent;
  readonly now: () => Date;
  /** Since when this process has watched without a break; by default for long. See standstills.ts of the Revisions. */
  readonly attendedSince?: () => Date;
  /** The longest time for one decision: see secondsToDecide. */
  readonly decisionSeconds: number;
}
