/**
 * The user of a cluster that the claims of an id-token stand for, by the rules of the API server's own OIDC flags, so that
 * both know a person by the same name. Pure.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
 */
import { ReasonedError } from '../../../api/errors.ts';
import { parsePerson, reservedNames, type Person } from '../person.ts';

export interface ClaimMapping {
  readonly issuer: string;
  readonly usernameClaim: string;
  /** `-`: none. Empty: none for the claim `email`, else the issuer and `#`. */
  readonly usernamePrefix: string;
  /** Empty: no groups. */
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  /** Empty: no uid. */
  readonly uidClaim: string;
  /** Key of the extra → claim. */
  readonly extra: ReadonlyMap<string, string>;
}

export type Claims = Readonly<Record<string, unknown>>;

/** @throws ReasonedError Forbidden, not retried, if the claims name no person, or one of the cluster's own parts */
export function personOfClaims(claims: Claims, mapping: ClaimMapping): Person {
  const { usernameClaim, groupsClaim, groupsPrefix, uidClaim, extra } = mapping;
  const name = claims[usernameClaim];
  if (typeof name !== 'string' || name === '') throw refusal(`the id-token has no claim ${usernameClaim}`);
  if (usernameClaim === 'email' && 'email_verified' in claims && claims['email_verified'] !== true)
    throw refusal('the issuer has not verified the email address');
  const groups = groupsClaim === '' ? [] : textsOf(claims[groupsClaim]).map((group) => `${groupsPrefix}${group}`);
  const uid = uidClaim === '' ? [] : textsOf(claims[uidClaim]);
  const extras = [...extra].map(([key, claim]) => [key, textsOf(claims[claim])] as const);
  const person = parsePerson({
    user: `${prefixOf(mapping)}${name}`,
    ...(uid[0] !== undefined && { uid: uid[0] }),
    groups,
    ...(extras.length > 0 && { extra: Object.fromEntries(extras) }),
  });
  if (person === undefined)
    throw refusal(
      'the claims of the id-token are too many, too long, or have control characters or spaces at their ends',
    );
  const [reserved] = reservedNames(person);
  if (reserved !== undefined) throw refusal(`the issuer may not name ${JSON.stringify(reserved)}: it is a name of the cluster itself`); // prettier-ignore
  return person;
}

function prefixOf({ issuer, usernameClaim, usernamePrefix }: ClaimMapping): string {
  if (usernamePrefix === '-') return '';
  if (usernamePrefix !== '') return usernamePrefix;
  return usernameClaim === 'email' ? '' : `${issuer}#`;
}

function textsOf(claim: unknown): readonly string[] {
  const values = Array.isArray(claim) ? (claim as readonly unknown[]) : [claim];
  return values.filter((value) => typeof value === 'string');
}

function refusal(message: string): ReasonedError {
  return new ReasonedError({
    reason: 'Forbidden',
    retry: 'never',
    message,
    hint: 'Ask the administrator of the console to check its claims: --oidc-username-claim and --oidc-groups-claim',
  });
}
