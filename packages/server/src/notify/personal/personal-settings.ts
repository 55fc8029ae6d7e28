import type {
  PersonalSettings,
  unsubscribe as unsubscribeEndpoint,
} from '@culprit/contract/alerts/personal-messages';
import { PERSONAL_REASONS } from '@culprit/contract/alerts/personal-reasons';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { limitSignInRequests } from '../../workspace/accounts/sign-in-rate.ts';
import { checkNtfy, openNtfy, type StoredNtfy, sealNtfy, shownNtfy } from './personal-ntfy.ts';
import { findSettings, type StoredSettings, saveNtfy, saveSettings } from './settings.queries.ts';
import { readUnsubscribeToken } from './unsubscribe-token.ts';

/** About what a person is mailed (docs/contract/team-workflow.md 6.4). */
export async function getSettings(
  { database, keys }: Pick<Runtime, 'database' | 'keys'>,
  userId: string,
): Promise<PersonalSettings> {
  const stored = await findSettings(database, userId);
  return shown(stored, openNtfy(keys.receiverAddresses, stored.ntfy, userId));
}

/**
 * Checks the topic in a change, and returns its stored form; null if there is none.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function checkSettings(
  { outbound }: Pick<Runtime, 'outbound'>,
  { body: { ntfy } }: { body: Partial<PersonalSettings> },
): StoredNtfy | null {
  return ntfy === undefined || ntfy === null ? null : checkNtfy(outbound, ntfy);
}

/** Changes the fields that are given. */
export async function updateSettings(
  runtime: Pick<Runtime, 'database' | 'keys'>,
  userId: string,
  change: Partial<PersonalSettings>,
  ntfy: StoredNtfy | null,
): Promise<PersonalSettings> {
  const stored: Partial<StoredSettings> = {};
  for (const reason of PERSONAL_REASONS) {
    const way = change[reason];
    if (way !== undefined) stored[reason] = way === 'mail';
  }
  if (change.digest_minutes !== undefined) stored.digest_minutes = change.digest_minutes;
  await runtime.database.transaction(async (transaction) => {
    await saveSettings(transaction, userId, stored);
    if (change.ntfy === undefined) return;
    const sealed = ntfy === null ? null : sealNtfy(runtime.keys.receiverAddresses, ntfy, userId);
    saveNtfy(transaction, userId, sealed);
  });
  return await getSettings(runtime, userId);
}

/**
 * Stops all personal mails of the person in whose mail the token was, who need not be signed in.
 * @throws Problem `rate_limited`, `invalid_token`
 */
export async function unsubscribe(
  runtime: Runtime,
  { body, clientAddress }: ApiRequest<typeof unsubscribeEndpoint>,
): Promise<void> {
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const userId = readUnsubscribeToken(runtime.keys.unsubscribes, body.token);
  const none = { assigned: false, mentioned: false, own_regressed: false, own_woke: false, watched: false };
  const isSaved = userId !== null && (await saveSettings(runtime.database, userId, none));
  if (!isSaved) throw new Problem('invalid_token');
}

function shown(stored: StoredSettings, ntfy: StoredNtfy | null): PersonalSettings {
  const way = (isOn: boolean) => (isOn ? 'mail' : 'off');
  return {
    assigned: way(stored.assigned),
    mentioned: way(stored.mentioned),
    own_regressed: way(stored.own_regressed),
    own_woke: way(stored.own_woke),
    watched: way(stored.watched),
    digest_minutes: stored.digest_minutes,
    ntfy: shownNtfy(ntfy),
  };
}
