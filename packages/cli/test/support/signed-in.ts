import { hash } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import type { TestCulprit, TestProject } from '../../../server/test/support/culprit.ts';
import { sendEvents } from '../../../server/test/support/send-events.ts';
import { type CliHome, createCliHome } from './built-cli.ts';

/** A home that is signed in to a service, with a project of its own. */
export interface SignedIn {
  home: CliHome;
  project: TestProject;
  /** Sends an exception with this message, apart from every other message, and waits until it is an incident. */
  fail(message: string, changes?: Readonly<Record<string, JsonValue>>): Promise<void>;
}

export async function signIn(culprit: TestCulprit, project?: TestProject): Promise<SignedIn> {
  const home = await createCliHome();
  const used = project ?? (await culprit.createProject());
  const input = JSON.stringify({
    base_url: culprit.url,
    user_id: used.userId,
    member_token: used.memberToken,
    project_id: used.projectId,
    project_token: used.projectToken,
  });
  const { code, err } = await home.run(['login', '--with-token'], { input });
  if (code !== 0) throw new Error(`the sign-in ended with ${code}: ${err}`);
  return {
    home,
    project: used,
    async fail(message, changes = {}) {
      const event = fixture('W', {
        event_id: `e-${crypto.randomUUID()}`,
        occurred_at: new Date().toISOString(),
        'payload.message': message,
        // Fingerprints are made of the place, not of the message.
        'payload.stack': `TypeError: ${message}\n    at ${functionName(message)} (/app/${functionName(message)}.js:4:2)`,
        ...changes,
      });
      const answer = await sendEvents(culprit.url, used.projectToken, [event]);
      const { body } = answer;
      if (!isJsonObject(body) || body.accepted !== 1)
        throw new Error(`not accepted: ${JSON.stringify(body)}`);
      await culprit.drain();
    },
  };
}

const SYLLABLES = 'ba be bi bo da de di do la le li lo ma me mi mo'.split(' ');

/** A name like those that people write, another one for each message: what looks like a hash is no part of a key. */
function functionName(message: string): string {
  const digits = hash('sha256', message, 'hex').slice(0, 16);
  return [...digits].map((digit) => SYLLABLES[Number.parseInt(digit, 16)]).join('');
}
