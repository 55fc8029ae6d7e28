import { randomBytes } from 'node:crypto';
import { Session, SIGN_IN_COOKIE } from '@culprit/contract/workspace/sign-in';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { Database } from '../../src/platform/db/database.ts';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { codeIn, mailsTo, nextMail } from './mailbox.ts';
import { type Answer, sendRequest } from './send-events.ts';

/** A browser that is signed in. */
export interface SignedInBrowser {
  /** For the `Cookie` header: name and value. */
  cookie: string;
  csrfToken: string;
  session: Session;
  /** Cookie and CSRF token: what a page of ours sends with a change. */
  headers: { cookie: string; 'x-csrf-token': string };
}

/** The part of a running service that signing in needs. */
interface SignInPlace {
  url: string;
  database: Database;
  mailDirectory: string;
}

const CODE_SUBJECT = 'Sign-in code';

/** Asks for a code, reads it in the mail and signs in. Times between messages are forgotten before. */
export async function signInByMail(place: SignInPlace, email: string): Promise<SignedInBrowser> {
  return browserOf(await verifyCode(place.url, email, await requestCode(place, email)));
}

/** Asks for a code and reads it in the mail, however many were asked for before. */
export async function requestCode(place: SignInPlace, email: string): Promise<string> {
  await place.database.query(
    { name: 'test-forget-messages', text: 'delete from sign_in_mails where email = $1' },
    [email],
  );
  const seen = (await mailsTo(place.mailDirectory, email, CODE_SUBJECT)).length;
  const answer = await askForCode(place.url, email);
  if (answer.status !== 200) throw new Error(`request-code answered ${answer.status}`);
  return codeIn(await nextMail(place.mailDirectory, email, seen, CODE_SUBJECT));
}

/** Cookies that make two requests one browser; over https the name of the cookie has a prefix. */
export function newBrowser(): { cookie: string } {
  const value = randomBytes(32).toString('base64url');
  return { cookie: `${SIGN_IN_COOKIE}=${value}; __Host-${SIGN_IN_COOKIE}=${value}` };
}

/** The browser of those who do not say which one they use. */
export const usualBrowser = newBrowser();

/** `POST /v1/auth/request-code`. */
export async function askForCode(
  url: string,
  email: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = usualBrowser,
): Promise<Answer> {
  return await sendRequest(`${url}/v1/auth/request-code`, {
    headers,
    body: JSON.stringify({ email, accepted_terms: true, ...more }),
  });
}

/** `POST /v1/auth/verify-code`, with the cookie of the usual browser beside those that are given. */
export async function verifyCode(
  url: string,
  email: string,
  code: string,
  more: { body?: object; headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  return await sendRequest(`${url}/v1/auth/verify-code`, {
    headers: { ...more.headers, cookie: cookiesWith(more.headers?.cookie) },
    body: JSON.stringify({ email, code, ...more.body }),
  });
}

function cookiesWith(given = ''): string {
  return given.includes(SIGN_IN_COOKIE) ? given : [usualBrowser.cookie, given].filter(Boolean).join('; ');
}

/** Reads the answer of a sign-in; throws for every other one. */
export function browserOf(answer: Answer): SignedInBrowser {
  const { status, body, headers } = answer;
  const session = isJsonObject(body) ? body.session : undefined;
  const cookie = headers.getSetCookie().find((line) => line.startsWith('svc_session='));
  if (status !== 200 || !isSession(session) || cookie === undefined) {
    throw new Error(`no sign-in: ${status} ${JSON.stringify(body)}`);
  }
  const pair = cookie.split(';')[0] ?? '';
  const csrfToken = session.csrf_token;
  return { cookie: pair, csrfToken, session, headers: { cookie: pair, 'x-csrf-token': csrfToken } };
}

const hasSessionShape = compileValidator(Session);

function isSession(value: unknown): value is Session {
  return hasSessionShape(value);
}
