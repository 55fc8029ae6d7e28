import type { updateProfile as endpoint, Profile } from '@culprit/contract/people';
import { NAME_LENGTH_MAX } from '@culprit/contract/triage-words';
import { invalidPayload } from '../../platform/http/payload-fault.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { saveProfile } from '../accounts/accounts.queries.ts';

/**
 * Saves the name and handle of the caller (docs/contract/team-workflow.md 2.2). Notes that mention the handle before
 * keep the person: mentions hold ids.
 * @throws Problem `handle_taken`
 */
export async function updateProfile(
  { database }: Runtime,
  { caller, body }: ApiRequest<typeof endpoint>,
): Promise<Profile> {
  const name = body.name === undefined || body.name === null ? body.name : shownName(body.name);
  const profile = await saveProfile(database, caller.userId, { name, handle: body.handle });
  if (profile === null) throw new Problem('handle_taken');
  return profile;
}

/** On one line, without what no screen shows. */
function shownName(name: string): string {
  const line = name.replace(/[\p{C}\s]+/gu, ' ').trim();
  if (line === '') throw invalidPayload('/name', 'must have a visible character');
  return [...line].slice(0, NAME_LENGTH_MAX).join('');
}
