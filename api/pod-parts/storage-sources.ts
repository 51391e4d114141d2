/** Sources of volumes that name a storage system, most of them without a driver in today's Kubernetes; each has its name there. */
import type * as z from 'zod';
import { flag, int32, line, lines, localReference, longTexts, part } from './parts.ts';

const mounted = { fsType: line(), readOnly: flag() };
const withSecret = { ...mounted, secretRef: localReference() };

const ceph = { user: line(), readOnly: flag(), secretRef: localReference() };

export const STORAGE_SOURCES: Readonly<Record<string, z.ZodType>> = {
  awsElasticBlockStore: part({ ...mounted, partition: int32(), volumeID: line() }),
  azureDisk: part({ ...mounted, cachingMode: line(), kind: line(), diskName: line(), diskURI: line() }),
  azureFile: part({ readOnly: flag(), secretName: line(), shareName: line() }),
  cephfs: part({ ...ceph, path: line(), secretFile: line(), monitors: lines() }),
  cinder: part({ ...withSecret, volumeID: line() }),
  fc: part({ ...mounted, lun: int32(), targetWWNs: lines(), wwids: lines() }),
  flexVolume: part({ ...withSecret, options: longTexts(), driver: line() }),
  flocker: part({ datasetName: line(), datasetUUID: line() }),
  gcePersistentDisk: part({ ...mounted, partition: int32(), pdName: line() }),
  glusterfs: part({ readOnly: flag(), endpoints: line(), path: line() }),
  iscsi: part({
    ...withSecret,
    chapAuthDiscovery: flag(),
    chapAuthSession: flag(),
    initiatorName: line(),
    iscsiInterface: line(),
    portals: lines(),
    lun: int32(),
    targetPortal: line(),
    iqn: line(),
  }),
  nfs: part({ readOnly: flag(), server: line(), path: line() }),
  photonPersistentDisk: part({ fsType: line(), pdID: line() }),
  portworxVolume: part({ ...mounted, volumeID: line() }),
  quobyte: part({ group: line(), readOnly: flag(), tenant: line(), user: line(), registry: line(), volume: line() }),
  rbd: part({ ...ceph, fsType: line(), keyring: line(), pool: line(), image: line(), monitors: lines() }),
  scaleIO: part({
    ...withSecret,
    protectionDomain: line(),
    sslEnabled: flag(),
    storageMode: line(),
    storagePool: line(),
    volumeName: line(),
    gateway: line(),
    system: line(),
  }),
  storageos: part({ ...withSecret, volumeName: line(), volumeNamespace: line() }),
  vsphereVolume: part({ fsType: line(), storagePolicyID: line(), storagePolicyName: line(), volumePath: line() }),
};
