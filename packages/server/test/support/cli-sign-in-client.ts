import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { TestCulprit } from './culprit.ts';
import { type Answer, sendRequest } from './send-events.ts';
import type { SignedInBrowser } from './sign-in.ts';

/** A program that waits for a person to approve it. */
interface WaitingProgram {
  requestId: string;
  userCode: string;
}

/** Begins the sign-in of a program. */
export async function startProgram(culprit: TestCulprit, label = 'laptop'): Promise<WaitingProgram> {
  const { status, body } = await postProgram(culprit, 'start', { label });
  if (status !== 200 || !isJsonObject(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  return { requestId: String(body.request_id), userCode: String(body.user_code) };
}

/** What the program asks, or what the person asks with the cookie of a browser. */
export async function postProgram(
  culprit: TestCulprit,
  path: 'start' | 'poll' | 'claim' | 'read' | 'approve' | 'deny',
  body: object,
  browser?: SignedInBrowser,
): Promise<Answer> {
  return await sendRequest(`${culprit.url}/v1/auth/cli/${path}`, {
    body: JSON.stringify(body),
    headers: { ...browser?.headers },
  });
}

/** The person of the browser lets the program act. */
export async function approveProgram(
  culprit: TestCulprit,
  browser: SignedInBrowser,
  userCode: string,
  access: 'full' | 'read' = 'full',
): Promise<void> {
  const { status } = await postProgram(culprit, 'approve', { user_code: userCode, access }, browser);
  if (status !== 200) throw new Error(`answered ${status}`);
}
