/**
 * The fields of a ClusterServiceVersion that rendering and the checks need, in the notation of types.ts. Fields that
 * are only displayed are read from the raw object.
 * @see https://olm.operatorframework.io/docs/concepts/crds/clusterserviceversion/
 */
export const CSV_TYPES = `
ClusterServiceVersion: metadata? ObjectMeta; spec CsvSpec
CsvSpec: install CsvInstall; version? string; release? string; minKubeVersion? string; replaces? string; skips? []string; installModes? []CsvInstallMode; customresourcedefinitions? CsvCrds; apiservicedefinitions? CsvApiServices; webhookdefinitions? []CsvWebhook; nativeAPIs? []CsvGvk; relatedImages? []CsvImage; displayName? string; description? string; maturity? string; cleanup? CsvCleanup; provider? CsvLink; maintainers? []CsvMaintainer; links? []CsvLink; icon? []CsvIcon; keywords? []string
CsvInstall: strategy string; spec? CsvStrategy
CsvStrategy: deployments? []CsvDeployment; permissions? []CsvPermission; clusterPermissions? []CsvPermission
CsvDeployment: name string; spec DeploymentSpec; label? {}string
CsvPermission: serviceAccountName string; rules []PolicyRule
CsvInstallMode: type string; supported bool
CsvCrds: owned? []CsvCrd; required? []CsvCrd
CsvCrd: name string; version string; kind string; displayName? string; description? string
CsvApiServices: owned? []CsvApiService; required? []CsvApiService
CsvApiService: name string; group string; version string; kind string; deploymentName? string; containerPort? int; displayName? string; description? string
CsvGvk: group string; version string; kind string
CsvImage: name? string; image? string
CsvCleanup: enabled? bool
CsvLink: name? string; url? string
CsvMaintainer: name? string; email? string
CsvIcon: base64data? string; mediatype? string
CsvWebhook: generateName string; type string; deploymentName? string; containerPort? int; targetPort? *intstr; rules? []RuleWithOperations; failurePolicy? *string; matchPolicy? *string; objectSelector? *LabelSelector; sideEffects *string; timeoutSeconds? *int; admissionReviewVersions []string; reinvocationPolicy? *string; webhookPath? *string; conversionCRDs? []string
`;
