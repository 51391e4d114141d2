/**
 * Reads what a view asks for, with the rights of the person and no others. A read that fails is part of the answer, with
 * the sentence of the API server; only a request that was called off ends the whole.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ReasonedError } from '../../api/errors.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { countCustomResources } from '../../apply/custom-resources.ts';
import { createSlots, inSlots } from '../../apply/slots.ts';
import type { Client } from '../../kube/client/client.ts';
import type { StoredPlan } from '../../plan/stored-plan.ts';
import { MANAGER } from '../../report/manager.ts';
import type { Ask, Asked, PlanAsk, ReadVersions } from '../data/ask.ts';
import { answered } from './answered.ts';
import type { CatalogContent } from './content.ts';
import { judgePreview } from './judge-preview.ts';
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
  const { access, objects, customResources, givenByOlm, plan, content, versions } = ask;
  const [accessAnswers, objectAnswers, counts, given, storedPlan, contentAnswers, readVersions] = await Promise.all([
    access && Promise.all(access.map((one) => parts.rights.may(person, one, signal).catch(() => undefined))),
    objects && inSlots({ slots, signal }, objects, (one) => answered(() => readObject(client, one, signal), signal)),
    customResources &&
      answered(() => countCustomResources(client, customResources.inventory, { owner: customResources.owner, signal }), signal), // prettier-ignore
    givenByOlm && answered(() => judgePreview(client, givenByOlm, { kept: parts.systemNamespace, signal }), signal),
    plan && answered(() => readPlan(client, plan, signal), signal),
    content && parts.content.answer(person, content, client, signal),
    versions && answered(() => readVersionsOf(client, parts, signal), signal),
  ]);
  return {
    ...(accessAnswers && { access: accessAnswers }),
    ...(objectAnswers && { objects: objectAnswers }),
    ...(counts && { customResources: counts }),
    ...(given && { givenByOlm: given }),
    ...(storedPlan && { plan: storedPlan }),
    ...contentAnswers,
    ...(readVersions && { versions: readVersions }),
  };
}

/** Empty if a proxy before the API server answers with something else. */
function versionIn(text: string): string {
  try {
    return textOf(fieldsOf(JSON.parse(text))['gitVersion']);
  } catch {
    return '';
  }
}

const unzip = promisify(gunzip);
/** More than a person reads; of a larger plan there is the summary. */
const MOST_PLAN_BYTES = 4 << 20;

async function readPlan(
  client: Client,
  { namespace, secret, revisionUid, digest }: PlanAsk,
  signal: AbortSignal,
): Promise<StoredPlan> {
  const found = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: secret, served: { plural: 'secrets', namespaced: true } }, signal); // prettier-ignore
  const isOwned = found?.metadata.ownerReferences?.some(({ uid }) => uid === revisionUid) === true;
  if (found?.['type'] !== 'slipway.dev/plan' || !isOwned) throw noPlan(namespace, secret);
  const zipped = Buffer.from(textOf(fieldsOf(found['data'])['plan']), 'base64');
  // Before anything is unpacked: a person who may write Secrets would choose what the approver reads.
  if (`sha256:${createHash('sha256').update(zipped).digest('hex')}` !== digest) throw changedPlan(namespace, secret);
  try {
    return JSON.parse((await unzip(zipped, { maxOutputLength: MOST_PLAN_BYTES })).toString()) as StoredPlan;
  } catch (cause) {
    throw noPlan(namespace, secret, cause);
  }
}

function changedPlan(namespace: string, secret: string): ReasonedError {
  return new ReasonedError({
    reason: 'ManifestsMissing',
    retry: 'never',
    message: `Secret ${namespace}/${secret} was changed: its content is not the plan that the manager has stored`,
    hint: 'Find out by the audit log which program wrote the Secret; the manager stores the plan again within minutes',
  });
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
  const kubernetes = versionIn(text);
  return { kubernetes, ...(manager !== undefined && { manager }), console: version };
}
