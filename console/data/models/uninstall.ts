/** The preview of an uninstall: which objects are deleted, in which order, and which stay. */
import type { Badge, Button, Page } from './common.ts';

export interface UninstallStep {
  readonly name: string;
  readonly objects: number;
  /** `2 ConfigMap`, `Deployment.apps lights/beacon` */
  readonly kinds: readonly string[];
}

/** A choice of the person: a policy other than that of the spec. It is part of the query of the view. */
export interface UninstallChoice {
  readonly name: 'customResources' | 'objects';
  readonly label: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string; readonly help: string }[];
}

export interface UninstallModel extends Page {
  readonly namespace: string;
  readonly name: string;
  readonly state: Badge;
  /** `An uninstall deletes 12 objects; custom resources: Retain` */
  readonly summary: string;
  /** How many objects are deleted, custom resources excluded. */
  readonly deleted: number;
  readonly steps: readonly UninstallStep[];
  /** Custom resources that are deleted first: `gadgets.example.com`, `3 (ops/a, ops/b, ops/c)`. */
  readonly customResources: readonly { readonly crd: string; readonly objects: string }[];
  /** Rights that OLM had given the operator before Slipway took it over: they are deleted last. */
  readonly givenByOlm: readonly string[];
  readonly stays: readonly string[];
  /** Facts that are not known, so that the manager would delete nothing yet. */
  readonly doubts: readonly string[];
  /** Subscriptions that depend on this one, or were made because of it. */
  readonly dependents: readonly string[];
  readonly choices: readonly UninstallChoice[];
  readonly buttons: readonly Button[];
}
