/**
 * Reads what a view asks for, with the rights of the person and no others. A read that fails is part of the answer, with
 * the sentence of the API server; only a request that was called off ends the whole.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ReasonedError } from '../../api/errors.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { countCustomResources } from '../../apply/custom-resources.ts';
import { createSlots, inSlots } from '../../apply/slots.ts';
import type { Client } from '../../kube/client/client.ts';
import type { StoredPlan } from '../../plan/stored-plan.ts';
import { MANAGER } from '../../report/manager.ts';
import type { Ask, Asked, ReadVersions } from '../data/ask.ts';
import { answered } from './answered.ts';
import type { CatalogContent } from './content.ts';
import type { Person } from './person.ts';
import { readObject } from './read-object.ts';
import type { PersonRights } from './rights.ts';

export interface CarryOutParts {
  /** A client with the rights of the person. */
  readonly clientOf: (person: Person) => Client;
  readonly rights: Pick<PersonRights, 'may'>;
  readonly content: CatalogContent;
  readonly systemNamespace: string;
  readonly version: string;
}

/** Requests of one view at a time. */
const PARALLEL = 8;

/** @throws The reason of `signal` */
export async function carryOut(person: Person, ask: Ask, parts: CarryOutParts, signal: AbortSignal): Promise<Asked> {
  const client = parts.clientOf(person);
  const slots = createSlots(PARALLEL);
  const { access, objects, customResources, plan, content, versions } = ask;
  const [accessAnswers, objectAnswers, counts, storedPlan, contentAnswers, readVersions] = await Promise.all([
    access && Promise.all(access.map((one) => parts.rights.may(person, one, signal).catch(() => undefined))),
    objects && inSlots({ slots, signal }, objects, (one) => answered(() => readObject(client, one, signal), signal)),
    customResources &&
      answered(() => countCustomResources(client, customResources.inventory, { owner: customResources.owner, signal }), signal), // prettier-ignore
    plan && answered(() => readPlan(client, plan, signal), signal),
    content && parts.content.answer(person, content, client, signal),
    versions && answered(() => readVersionsOf(client, parts, signal), signal),
  ]);
  return {
    ...(accessAnswers && { access: accessAnswers }),
    ...(objectAnswers && { objects: objectAnswers }),
    ...(counts && { customResources: counts }),
    ...(storedPlan && { plan: storedPlan }),
    ...contentAnswers,
    ...(readVersions && { versions: readVersions }),
  };
}

const unzip = promisify(gunzip);
/** Larger than any Secret can hold once it is unpacked. */
const MOST_PLAN_BYTES = 32 << 20;

async function readPlan(
  client: Client,
  { namespace, secret }: { readonly namespace: string; readonly secret: string },
  signal: AbortSignal,
): Promise<StoredPlan> {
  const found = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: secret, served: { plural: 'secrets', namespaced: true } }, signal); // prettier-ignore
  if (found?.['type'] !== 'slipway.dev/plan') throw noPlan(namespace, secret);
  try {
    const zipped = Buffer.from(textOf(fieldsOf(found['data'])['plan']), 'base64');
    return JSON.parse((await unzip(zipped, { maxOutputLength: MOST_PLAN_BYTES })).toString()) as StoredPlan;
  } catch (cause) {
    throw noPlan(namespace, secret, cause);
  }
}

function noPlan(namespace: string, secret: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'ManifestsMissing',
    retry: 'never',
    message: `Secret ${namespace}/${secret} has no plan that can be read`,
    cause,
  });
}

async function readVersionsOf(
  client: Client,
  { systemNamespace: namespace, version }: CarryOutParts,
  signal: AbortSignal,
): Promise<ReadVersions> {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', served: { plural: 'deployments', namespaced: true } };
  const [text, manager] = await Promise.all([
    client.raw('/version', signal),
    client.get({ ...deployment, namespace, name: MANAGER }, signal).catch((error: unknown) => {
      if (error instanceof ReasonedError) return undefined;
      throw error;
    }),
  ]);
  const kubernetes = textOf(fieldsOf(JSON.parse(text))['gitVersion']);
  return { kubernetes, ...(manager !== undefined && { manager }), console: version };
}
