import { Invite, type Membership } from '@culprit/contract/workspace/invites';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { countRows } from './count-rows.ts';
import type { TestCulprit } from './culprit.ts';
import { eventually } from './eventually.ts';
import { mailsTo, nextMail } from './mailbox.ts';
import { type Answer, sendRequest } from './send-events.ts';

/** Somebody who is signed in with a browser. */
export interface Person {
  email: string;
  userId: string;
  /** `Cookie` and CSRF header of the session. */
  headers: Readonly<Record<string, string>>;
  /** A request of the page, with cookie and CSRF token. */
  request(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** An address nobody has. */
export function newAddress(name = 'person'): string {
  return `${name}-${newUuid()}@example.test`;
}

/** Signs somebody in through the code that is mailed to them. */
export async function signInAs(culprit: TestCulprit, email: string): Promise<Person> {
  const { session, headers } = await culprit.signIn(email);
  return {
    email,
    userId: session.user_id,
    headers,
    request: (method, path, body) =>
      sendRequest(culprit.url + path, {
        method,
        headers,
        json: body,
      }),
  };
}

/** Invites an address into a project and reads the token from the mail. */
export async function invite(
  culprit: TestCulprit,
  inviter: Pick<Person, 'request'>,
  projectId: string,
  email: string,
  role: 'admin' | 'member' = 'member',
): Promise<{ invite: Invite; token: string }> {
  const seen = (await mailsTo(culprit.mailDirectory, email, ' invited you to ')).length;
  const answer = await inviter.request('POST', `/v1/projects/${projectId}/invite`, { email, role });
  const made = isJsonObject(answer.body) ? answer.body.invite : undefined;
  if (answer.status !== 201 || !isInvite(made)) {
    throw new Error(`inviting answered ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  const mail = await nextMail(culprit.mailDirectory, email, seen, ' invited you to ');
  const token = /\/invite\?token=(\S+)$/m.exec(mail.text)?.[1];
  if (token === undefined) throw new Error('the mail has no link');
  return { invite: made, token };
}

/** `POST /v1/auth/project-invite/accept` of a signed-in person. */
export async function accept(person: Pick<Person, 'request'>, token: string): Promise<Answer> {
  return await person.request('POST', '/v1/auth/project-invite/accept', { token });
}

/** Signs somebody in who has a place in the project: invited, and accepted. */
export async function join(
  culprit: TestCulprit,
  inviter: Pick<Person, 'request'>,
  projectId: string,
  role: Membership['role'],
): Promise<Person> {
  const email = newAddress(role);
  const { token } = await invite(culprit, inviter, projectId, email, role);
  const person = await signInAs(culprit, email);
  const answer = await accept(person, token);
  if (answer.status !== 200) throw new Error(`accepting answered ${answer.status}`);
  return person;
}

const hasInviteShape = compileValidator(Invite);

function isInvite(value: unknown): value is Invite {
  return hasInviteShape(value);
}

/** Waits until every queued mail has left. */
export async function allMailSent(culprit: TestCulprit): Promise<void> {
  await eventually(async () => {
    const waiting = await countRows(culprit, `jobs where lane = 'mail'`);
    if (waiting > 0) throw new Error(`${waiting} mails wait`);
  });
}
