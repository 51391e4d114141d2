/**
 * Bounds the rendered objects: a bundle within its limits can multiply. The CSV's annotations are copied to each
 * Deployment, the configuration to each container, and each permission to each watched namespace and the operator's own.
 * Values count besides characters: a rule of nine characters takes a hundred bytes of memory once it is loaded.
 */
import { ReasonedError } from '../../api/errors.ts';
import { MAX_JSON_DEPTH } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { OperatorConfig } from '../../api/operator-config.ts';
import { MAX_OBJECTS } from '../../api/revision.ts';
import { makeRoom, MEMORY_COSTS, takeRoom } from '../room.ts';
import type { RenderContext } from './options.ts';
import { roleNamespaces } from './roles.ts';

/**
 * The weight of all objects together. Of 60 packages in all their versions and install modes, with 100 watched namespaces, the
 * heaviest has 1.7 million (sailoperator 0.1.0); the largest published bundle renders to 6.8 MB of JSON.
 */
export const MOST_WEIGHT = 32 << 20;

/** Refuses objects that are too heavy together. @throws ReasonedError BundleTooLarge, never retried. */
export function checkRenderedSize(objects: readonly KubeObject[]): void {
  if (takeRoom(objects, makeRoom(MOST_WEIGHT, MEMORY_COSTS), MAX_JSON_DEPTH) !== undefined) throw tooHeavy();
}

/**
 * Refuses copies of annotations and of the configuration that will be too large together, before they are made: in memory
 * a copy of many short entries is thirty times as large as its characters. @throws ReasonedError BundleTooLarge, never
 * retried.
 */
export function checkCopies({ bundle, options }: RenderContext): void {
  const deployments = bundle.csv.spec.install.spec?.deployments ?? [];
  const containers = deployments.flatMap(({ spec }) => spec.template.spec.containers ?? []);
  const annotations = deployments.length * weightOf(bundle.csv.annotations);
  const settings = containers.length * weightOf(ofContainers(options.config));
  if (annotations + settings > MOST_WEIGHT) throw tooHeavy();
}

/** The settings that each container gets. */
function ofContainers({ args, env, envFrom, resources, volumeMounts }: OperatorConfig = {}): readonly unknown[] {
  return [args, env, envFrom, resources, volumeMounts].filter((setting) => setting !== undefined);
}

/** Counted up to the limit. */
function weightOf(value: unknown): number {
  const room = makeRoom(MOST_WEIGHT, MEMORY_COSTS);
  takeRoom(value, room, MAX_JSON_DEPTH);
  return MOST_WEIGHT - room.left;
}

function tooHeavy(): ReasonedError {
  return tooLarge(
    `the objects of the bundle take more than ${MOST_WEIGHT >> 20} MiB of memory when they are rendered, each of their values counted`,
    'Shorten the annotations of the ClusterServiceVersion, use fewer Deployments, name fewer namespaces in spec.watchNamespaces, or make spec.config of the Subscription smaller',
  );
}

/**
 * Refuses more Roles and RoleBindings than a Revision may have objects, before they are made. @throws ReasonedError
 * BundleTooLarge, never retried.
 */
export function checkRoleCount(context: RenderContext): void {
  const permissions = context.bundle.csv.spec.install.spec?.permissions ?? [];
  const count = 2 * permissions.length * roleNamespaces(context).length;
  if (count <= MAX_OBJECTS) return;
  throw tooLarge(
    `the bundle renders to ${count} Roles and RoleBindings, and a Revision has at most ${MAX_OBJECTS} objects`,
    'Name fewer namespaces in spec.watchNamespaces, or watch all namespaces',
  );
}

function tooLarge(message: string, hint: string): ReasonedError {
  return new ReasonedError({ reason: 'BundleTooLarge', retry: 'never', message, hint });
}
