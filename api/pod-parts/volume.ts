/** One of the `volumes` of a Pod. @see https://kubernetes.io/docs/concepts/storage/volumes/ */
import * as z from 'zod';
import { list, text } from '../fields.ts';
import { STORAGE_SOURCES } from './storage-sources.ts';
import {
  entry,
  fieldRef,
  flag,
  int32,
  int64,
  keysToPaths,
  labels,
  podLabelSelector,
  line,
  lines,
  localReference,
  longTexts,
  part,
  quantities,
  quantity,
  resourceFieldRef,
} from './parts.ts';

const referred = { apiGroup: line(), kind: line(), name: line() };

/** A claim gets only these two from the metadata of its template. */
const claimMetadata = part({ annotations: longTexts(), labels: labels() });

const claimSpec = part({
  accessModes: lines(),
  dataSource: part(referred),
  dataSourceRef: part({ ...referred, namespace: line() }),
  resources: part({ limits: quantities(), requests: quantities() }),
  selector: podLabelSelector(),
  storageClassName: line(),
  volumeAttributesClassName: line(),
  volumeMode: line(),
  volumeName: line(),
});

const downwardFiles = list(
  entry({ path: line() }, { fieldRef: fieldRef(), resourceFieldRef: resourceFieldRef(), mode: int32() }),
  1024,
);

const named = { name: line(), items: keysToPaths(), optional: flag() };

const projection = part({
  clusterTrustBundle: part({
    labelSelector: podLabelSelector(),
    name: line(),
    optional: flag(),
    path: line(),
    signerName: line(),
  }),
  configMap: part(named),
  downwardAPI: part({ items: downwardFiles }),
  podCertificate: part({
    certificateChainPath: line(),
    credentialBundlePath: line(),
    keyPath: line(),
    keyType: line(),
    maxExpirationSeconds: int32(),
    signerName: line(),
    userAnnotations: longTexts(),
  }),
  secret: part(named),
  serviceAccountToken: part({ audience: line(), expirationSeconds: int64(), path: line() }),
});

const SOURCES: Readonly<Record<string, z.ZodType>> = {
  configMap: part({ ...named, defaultMode: int32() }),
  csi: part({
    driver: line(),
    fsType: line(),
    nodePublishSecretRef: localReference(),
    readOnly: flag(),
    volumeAttributes: longTexts(),
  }),
  downwardAPI: part({ defaultMode: int32(), items: downwardFiles }),
  emptyDir: part({ medium: line(), sizeLimit: quantity() }),
  ephemeral: part({ volumeClaimTemplate: part({ metadata: claimMetadata, spec: claimSpec }) }),
  gitRepo: part({ directory: line(), repository: line(), revision: line() }),
  hostPath: part({ path: line(), type: line() }),
  image: part({ pullPolicy: line(), reference: line() }),
  persistentVolumeClaim: part({ claimName: line(), readOnly: flag() }),
  projected: part({ defaultMode: int32(), sources: list(projection, 256) }),
  secret: part({ secretName: line(), items: keysToPaths(), optional: flag(), defaultMode: int32() }),
  ...STORAGE_SOURCES,
};

/** Its name, and one of the sources. */
export const VolumePart = entry({ name: text(63) }, SOURCES) as unknown as z.ZodType<
  { name: string; [source: string]: unknown },
  { name: string; [source: string]: unknown }
>;
