/**
 * Every check, in the order in which findings are reported. Every file of this folder is in this list, and the reverse.
 */
import type { Check } from './check.ts';
import { annotationNames } from './annotation-names.ts';
import { apiServiceNames } from './api-service-names.ts';
import { architectures } from './architectures.ts';
import { bundleSize } from './bundle-size.ts';
import { caBundles } from './ca-bundles.ts';
import { capabilities } from './capabilities.ts';
import { categories } from './categories.ts';
import { channelNames } from './channel-names.ts';
import { conversionWebhooks } from './conversion-webhooks.ts';
import { crdApiVersion } from './crd-api-version.ts';
import { crdColumns } from './crd-columns.ts';
import { crdDescriptions } from './crd-descriptions.ts';
import { crdFields } from './crd-fields.ts';
import { crdNames } from './crd-names.ts';
import { crdPermissions } from './crd-permissions.ts';
import { crdStructure } from './crd-structure.ts';
import { csvFields } from './csv-fields.ts';
import { csvName } from './csv-name.ts';
import { csvVersion } from './csv-version.ts';
import { dependencies } from './dependencies.ts';
import { deploymentNames } from './deployment-names.ts';
import { deprecatedImages } from './deprecated-images.ts';
import { disruptionBudgets } from './disruption-budgets.ts';
import { examples } from './examples.ts';
import { hiddenFiles } from './hidden-files.ts';
import { icon } from './icon.ts';
import { installModes } from './install-modes.ts';
import { installStrategy } from './install-strategy.ts';
import { links } from './links.ts';
import { maintainers } from './maintainers.ts';
import { maxOpenshiftVersion } from './max-openshift-version.ts';
import { metadataAnnotations } from './metadata-annotations.ts';
import { minKubeVersion } from './min-kube-version.ts';
import { objectIdentities } from './object-identities.ts';
import { objectMetadata } from './object-metadata.ts';
import { objectNames } from './object-names.ts';
import { objectSize } from './object-size.ts';
import { openshiftLabel } from './openshift-label.ts';
import { operatorVersion } from './operator-version.ts';
import { ownedCrdVersions } from './owned-crd-versions.ts';
import { ownedCrdsPresent } from './owned-crds-present.ts';
import { packageName } from './package-name.ts';
import { priorityClasses } from './priority-classes.ts';
import { provider } from './provider.ts';
import { rbacRules } from './rbac-rules.ts';
import { relatedImages } from './related-images.ts';
import { removedApis } from './removed-apis.ts';
import { resourceRequests } from './resource-requests.ts';
import { serviceAccountNames } from './service-account-names.ts';
import { serviceAccounts } from './service-accounts.ts';
import { supportedKinds } from './supported-kinds.ts';
import { unknownFields } from './unknown-fields.ts';
import { webhookDeployments } from './webhook-deployments.ts';
import { webhookNames } from './webhook-names.ts';
import { webhookPorts } from './webhook-ports.ts';
import { webhookRules } from './webhook-rules.ts';
import { webhookTypes } from './webhook-types.ts';

export const CHECKS: readonly Check[] = [
  installStrategy,
  operatorVersion,
  packageName,
  objectNames,
  objectMetadata,
  objectSize,
  deploymentNames,
  serviceAccountNames,
  crdNames,
  crdApiVersion,
  crdFields,
  crdStructure,
  caBundles,
  crdColumns,
  ownedCrdsPresent,
  supportedKinds,
  webhookNames,
  webhookDeployments,
  webhookPorts,
  apiServiceNames,
  webhookRules,
  conversionWebhooks,
  csvName,
  csvFields,
  installModes,
  minKubeVersion,
  annotationNames,
  examples,
  ownedCrdVersions,
  serviceAccounts,
  webhookTypes,
  unknownFields,
  objectIdentities,
  disruptionBudgets,
  priorityClasses,
  rbacRules,
  relatedImages,
  dependencies,
  metadataAnnotations,
  bundleSize,
  hiddenFiles,
  provider,
  maintainers,
  links,
  capabilities,
  categories,
  icon,
  architectures,
  csvVersion,
  maxOpenshiftVersion,
  openshiftLabel,
  resourceRequests,
  channelNames,
  crdDescriptions,
  deprecatedImages,
  crdPermissions,
  removedApis,
];
