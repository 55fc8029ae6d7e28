import type { updateProfile as endpoint, Profile } from '@culprit/contract/workspace/people';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { saveProfile } from '../accounts/accounts.queries.ts';
import { shownName } from '../accounts/shown-name.ts';
import { isSlugThere } from '../teams/teams.queries.ts';

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
  if (body.handle !== undefined && (await isSlugThere(database, caller.userId, body.handle)))
    throw new Problem('handle_taken');
  const profile = await saveProfile(database, caller.userId, { name, handle: body.handle });
  if (profile === null) throw new Problem('handle_taken');
  return profile;
}
