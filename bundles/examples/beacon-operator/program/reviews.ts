/**
 * The questions of the API server and our answers: AdmissionReview and ConversionReview in, the same kind out. Pure.
 * An answer to a request that was understood is always HTTP 200; refusal is said inside.
 */
import { z } from 'zod';
import type { KubeObject } from '../../../../api/object.ts';
import { defaultBeacon, refuseBeacon } from './admission.ts';
import { BeaconSpecV2 } from './beacon.ts';
import { convertBeacon } from './convert.ts';

const BeaconObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.literal('Beacon'),
  metadata: z.looseObject({ name: z.string().optional() }),
});

const ConversionReview = z.object({
  request: z.object({ uid: z.string(), desiredAPIVersion: z.string(), objects: z.array(BeaconObject) }),
});

const AdmissionReview = z.object({
  request: z.object({ uid: z.string(), object: BeaconObject }),
});

/** The answer for a path; undefined for an unknown path. @throws ZodError for a body that is no such review. */
export function answerReview(path: string, review: unknown): object | undefined {
  if (path === '/convert') return answerConversion(ConversionReview.parse(review).request);
  if (path === '/default') return answerAdmission(AdmissionReview.parse(review).request, mutate);
  if (path === '/validate') return answerAdmission(AdmissionReview.parse(review).request, validate);
  return undefined;
}

function answerConversion(request: z.infer<typeof ConversionReview>['request']): object {
  const { uid, desiredAPIVersion, objects } = request;
  const answer = (response: object): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid, ...response },
  });
  try {
    const convertedObjects = objects.map((object) => convertBeacon(object as KubeObject, desiredAPIVersion));
    return answer({ result: { status: 'Success' }, convertedObjects });
  } catch (error) {
    return answer({ result: { status: 'Failure', message: (error as Error).message } });
  }
}

type Decision = (spec: BeaconSpecV2) => object;

function answerAdmission({ uid, object }: z.infer<typeof AdmissionReview>['request'], decide: Decision): object {
  const spec = BeaconSpecV2.safeParse(object['spec']);
  const response = spec.success ? decide(spec.data) : refusal(spec.error.message);
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...response } };
}

function mutate(spec: BeaconSpecV2): object {
  const patch = defaultBeacon(spec);
  if (patch.length === 0) return { allowed: true };
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

function validate(spec: BeaconSpecV2): object {
  const why = refuseBeacon(spec);
  return why === undefined ? { allowed: true } : refusal(why);
}

function refusal(message: string): object {
  return { allowed: false, status: { reason: 'Invalid', code: 422, message } };
}
