import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { OidcClaims } from './oidc-provider.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** The person according to the provider. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  /** In our form; null where there is none that counts as verified. */
  email: string | null;
  /** Null when the provider did not say: no claim, or one that only points elsewhere. */
  groups: readonly string[] | null;
  /** Its id of the person's session there; null when it names none. */
  sid: string | null;
}

/** Returns true if a text can be the id of a person or a session at a provider. */
export function isClaimText(text: string): boolean {
  return text !== '' && text.length <= 255 && !text.includes('\0');
}

/** The most names of groups that are read, and the length of each. Others are passed over. */
const GROUPS_MAX = 5_000;
const GROUP_LENGTH_MAX = 200;

/** Reads the person of a sign-in from both places at which providers give claims (docs/contract/team-workflow.md 9.3). */
export function readOidcIdentity(
  { idToken, userinfo }: OidcClaims,
  { isEmailTrusted, groupsClaim }: Pick<OidcSettings, 'isEmailTrusted' | 'groupsClaim'>,
): OidcIdentity {
  const places = [idToken, ...(userinfo === null ? [] : [userinfo])];
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email: verifiedAddress(places, isEmailTrusted),
    sid: typeof idToken.sid === 'string' && isClaimText(idToken.sid) ? idToken.sid : null,
    groups:
      places.map((place) => groupsIn(claimOf(place, groupsClaim))).find((groups) => groups !== null) ?? null,
  };
}

/**
 * Each address is judged by what is said beside it: what another place verifies may be another address. One that any
 * place calls unverified is.
 */
function verifiedAddress(places: readonly JsonObject[], isEmailTrusted: boolean): string | null {
  const given = places.flatMap(({ email, email_verified: word }) => {
    const address = typeof email === 'string' ? normalizeEmail(email) : null;
    // Amazon Cognito writes the word as a text.
    return address === null ? [] : [{ address, isVerified: word === 'true' ? true : word }];
  });
  const refused = given
    .filter(({ isVerified }) => isVerified !== true && isVerified !== undefined)
    .map(({ address }) => address);
  const proven = given.find(
    ({ address, isVerified }) =>
      (isVerified === true || (isEmailTrusted && isVerified === undefined)) && !refused.includes(address),
  );
  return proven?.address ?? null;
}

/**
 * The claim of a name, which can contain dots, as in an address; else the member at the end of a path, as in
 * `realm_access.roles` of Keycloak. A part of the path can contain dots as well, as the id of a client there.
 */
function claimOf(place: JsonObject, name: string): unknown {
  if (Object.hasOwn(place, name)) return place[name];
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const first = name.slice(0, dot);
    const inner = Object.hasOwn(place, first) ? place[first] : undefined;
    const found = isJsonObject(inner) ? claimOf(inner, name.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * A list of names or of records with names, one name, or a record by names, as Zitadel writes roles; null for everything
 * else. A list that names nothing, though it has entries, is no empty list: that would take every membership away.
 */
function groupsIn(claim: unknown): readonly string[] | null {
  if (typeof claim === 'string') return groupsIn([claim]);
  if (isJsonObject(claim)) return isByName(claim) ? groupsIn(Object.keys(claim)) : null;
  if (!Array.isArray(claim)) return null;
  const names = claim.slice(0, GROUPS_MAX).flatMap(namesIn);
  if (names.length === 0 && claim.length > 0) return null;
  return [...new Set(names)].filter((name) => name !== '' && name.length <= GROUP_LENGTH_MAX);
}

function namesIn(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry];
  if (!isJsonObject(entry)) return [];
  if (typeof entry.name === 'string') return [entry.name];
  return isByName(entry) ? Object.keys(entry) : [];
}

function isByName(record: JsonObject): boolean {
  return Object.values(record).every(isJsonObject);
}
