/**
 * Bounds the rendered objects: a bundle within its limits can multiply. The CSV's annotations are copied to each
 * Deployment, the configuration to each container, and each permission to each watched namespace and the operator's own.
 */
import { ReasonedError } from '../../api/errors.ts';
import { MAX_JSON_DEPTH } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { OperatorConfig } from '../../api/operator-config.ts';
import { MAX_OBJECTS } from '../../api/revision.ts';
import { makeRoom, takeRoom } from '../room.ts';
import type { RenderContext } from './options.ts';
import { roleNamespaces } from './roles.ts';

/** As many as the files of a bundle may have; the largest published bundle renders to 6.8 MB. */
const MOST_CHARACTERS = 32 << 20;

/** Refuses objects that are too large together. @throws ReasonedError BundleTooLarge, never retried. */
export function checkRenderedSize(objects: readonly KubeObject[]): void {
  if (takeRoom(objects, makeRoom(MOST_CHARACTERS), MAX_JSON_DEPTH) !== undefined) throw tooManyCharacters();
}

/**
 * Refuses copies of annotations and of the configuration that will be too large together, before they are made: in memory
 * a copy of many short entries is thirty times as large as its characters. @throws ReasonedError BundleTooLarge, never
 * retried.
 */
export function checkCopies({ bundle, options }: RenderContext): void {
  const deployments = bundle.csv.spec.install.spec?.deployments ?? [];
  const containers = deployments.flatMap(({ spec }) => spec.template.spec.containers ?? []);
  const annotations = deployments.length * charactersOf(bundle.csv.annotations);
  const settings = containers.length * charactersOf(ofContainers(options.config));
  if (annotations + settings > MOST_CHARACTERS) throw tooManyCharacters();
}

/** The settings that each container gets. */
function ofContainers({ args, env, envFrom, resources, volumeMounts }: OperatorConfig = {}): readonly unknown[] {
  return [args, env, envFrom, resources, volumeMounts].filter((setting) => setting !== undefined);
}

/** Counted up to the limit. */
function charactersOf(value: unknown): number {
  const room = makeRoom(MOST_CHARACTERS);
  takeRoom(value, room, MAX_JSON_DEPTH);
  return MOST_CHARACTERS - room.left;
}

function tooManyCharacters(): ReasonedError {
  return tooLarge(
    `the objects of the bundle have more than ${MOST_CHARACTERS} characters when they are rendered`,
    'Shorten the annotations of the ClusterServiceVersion, use fewer Deployments, or make spec.config of the Subscription smaller',
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
