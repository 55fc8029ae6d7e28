import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { Secret } from '../../platform/secrets/secret.ts';
import { idIn, objectIn, objectsIn, secretIn, timeIn } from './tracker-answer.ts';
import type { Call, Connection } from './tracker-api.ts';
import { TrackerFailure } from './tracker-call.ts';

/**
 * GitHub Apps. An App proves itself by a private key that does not expire, and gets tokens for an installation, which
 * expire after an hour.
 */

/** The key, with line breaks, spaces, or neither, as fields and files of people keep it. */
const PRIVATE_KEY =
  /^-----BEGIN (RSA )?PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END (?:RSA )?PRIVATE KEY-----\s*$/;
/** A proof is valid for a few minutes around now, so that clocks can differ. */
const PROOF_BEFORE_S = 60;
const PROOF_AFTER_S = 300;
/** The time before its expiry at which a token is replaced. */
const TOKEN_MARGIN_MS = 300_000;
const TOKENS_MAX = 200;

/** The rights of a token of an installation. */
export type AppPermissions = Readonly<Record<string, 'write'>>;
const TICKETS: AppPermissions = { issues: 'write' };
/** The right that creates webhooks. */
export const APP_HOOKS: AppPermissions = { repository_hooks: 'write' };

interface InstallationToken {
  token: Secret;
  expiresAtMs: number;
}

/** Tokens that can still be used, by the App, its key and the repository. */
const tokens = new Map<string, InstallationToken>();

/** Returns true if a token is a private key, whether or not it can be read. */
export function isAppKey(token: string): boolean {
  return token.startsWith('-----BEGIN ');
}

/** The private key of an App in a text; null if there is none. */
export function appKeyIn(text: string): KeyObject | null {
  const [, form = '', body] = PRIVATE_KEY.exec(text) ?? [];
  if (body === undefined) return null;
  const label = `${form}PRIVATE KEY`;
  const lines = body.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? [];
  try {
    const key = createPrivateKey(`-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`);
    return key.asymmetricKeyType === 'rsa' ? key : null;
  } catch {
    return null;
  }
}

/**
 * Returns calls with a token of the installation of an App in the repository, if the connection has a private key, and
 * otherwise the same calls. A token that is refused is replaced once, since an App can have been installed again.
 */
export function asInstallation(
  connection: Connection,
  call: Call,
  permissions: AppPermissions = TICKETS,
): Call {
  if (!isAppKey(connection.token.reveal())) return call;
  const name = nameOf(connection, permissions);
  return async (request) => {
    const known = tokens.get(name);
    const isUsable = known !== undefined && known.expiresAtMs - TOKEN_MARGIN_MS > Date.now();
    const { token } = isUsable ? known : await newToken(connection, call, permissions);
    try {
      return await call({ ...request, authorization: bearer(token.reveal()) });
    } catch (error) {
      if (!isUsable || !(error instanceof TrackerFailure) || error.word !== 'http_401') throw error;
      tokens.delete(name);
      const { token: next } = await newToken(connection, call, permissions);
      return await call({ ...request, authorization: bearer(next.reveal()) });
    }
  };
}

function nameOf({ baseUrl, target, user, token }: Connection, permissions: AppPermissions): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, target, user, permissions, token.reveal()]))
    .digest('base64');
}

async function newToken(
  connection: Connection,
  call: Call,
  permissions: AppPermissions,
): Promise<InstallationToken> {
  try {
    const proof = bearer(proofOf(connection));
    const id = await installationOf(connection, call, proof);
    const answer = objectIn(
      await call({
        ...REQUEST,
        method: 'POST',
        path: `/app/installations/${id}/access_tokens`,
        authorization: proof,
        // No more than is needed, of one repository once it is known.
        body: {
          permissions,
          ...(connection.target === '' ? {} : { repositories: [connection.target.split('/').at(-1)] }),
        },
      }),
    );
    const made = { token: new Secret(secretIn(answer.token)), expiresAtMs: timeIn(answer.expires_at) };
    const [oldest] = tokens.keys();
    if (tokens.size >= TOKENS_MAX && oldest !== undefined) tokens.delete(oldest);
    tokens.set(nameOf(connection, permissions), made);
    return made;
  } catch (error) {
    // It is not installed there, or lacks the permission: no ticket is at fault.
    const isRefusal =
      error instanceof TrackerFailure && (error.kind === 'missing' || error.kind === 'invalid');
    throw isRefusal ? new TrackerFailure('refused', error.word) : error;
  }
}

const REQUEST = {
  method: 'GET',
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
} as const;

/** The installation in the repository; before one is chosen, the first of the App. */
async function installationOf({ target }: Connection, call: Call, proof: Secret): Promise<string> {
  if (target !== '') {
    const path = `/repos/${target}/installation`;
    return idIn(objectIn(await call({ ...REQUEST, path, authorization: proof })).id);
  }
  const path = '/app/installations?per_page=1';
  const [first] = objectsIn(await call({ ...REQUEST, path, authorization: proof }));
  if (first === undefined) throw new TrackerFailure('missing', 'app_not_installed');
  return idIn(first.id);
}

/** A JWT signed with the key of the App. */
function proofOf({ user, token }: Connection): string {
  const key = appKeyIn(token.reveal());
  if (key === null || user === null) throw new TrackerFailure('refused', 'invalid_key');
  const nowS = Math.floor(Date.now() / 1000);
  const claims = { iat: nowS - PROOF_BEFORE_S, exp: nowS + PROOF_AFTER_S, iss: user };
  const content = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${sign('RSA-SHA256', Buffer.from(content), key).toString('base64url')}`;
}

function bearer(token: string): Secret {
  return new Secret(`Bearer ${token}`);
}
