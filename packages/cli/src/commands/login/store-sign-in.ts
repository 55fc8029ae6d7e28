import { revokeMemberToken } from '@culprit/contract/workspace/tokens';
import { openApi } from '../../api/open-api.ts';
import { type Settings, sameOrigin } from '../../config/settings.ts';
import { type Profile, writeUserFile } from '../../config/user-file.ts';
import type { Context } from '../../context.ts';
import {
  changeCredentialFile,
  credentialsOf,
  readCredentialFile,
} from '../../credentials/credential-file.ts';
import { writeKeyring } from '../../credentials/keyring.ts';
import type { Input } from '../../input.ts';
import type { SignIn } from './sign-in.ts';

/** Stores address and token as a profile. A token that this program had made for it before is revoked. */
export async function storeSignIn(
  context: Context,
  input: Input,
  { origin, userFile }: Settings,
  signIn: SignIn,
  onlyProjectId: string | null,
): Promise<{ profileName: string; replaced: boolean }> {
  const { environment, globals } = context;
  const profileName = globals.profile ?? profileNameFor(origin, userFile.profiles);
  const before = readCredentialFile(environment, () => {}).origins[origin]?.members[profileName] ?? null;
  const store = input.choice('store', ['file', 'keyring']) ?? 'file';
  if (store === 'keyring') await writeKeyring(origin, profileName, signIn.token);
  const addedAt = new Date().toISOString();
  changeCredentialFile(environment, (file) => {
    const entry = credentialsOf(file, origin);
    entry.members[profileName] = {
      token: store === 'keyring' ? '' : signIn.token,
      token_id: signIn.record?.token_id ?? null,
      made_by: signIn.madeBy,
      label: signIn.label,
      added_at: addedAt,
    };
    if (signIn.projectId !== null && signIn.projectToken !== null) {
      entry.projects[signIn.projectId] = { token: signIn.projectToken, token_id: null, added_at: addedAt };
    }
  });
  const old = userFile.profiles[profileName];
  const profile: Profile = {
    url: origin,
    project_id:
      signIn.projectId ??
      onlyProjectId ??
      (old !== undefined && sameOrigin(old.url, origin) ? old.project_id : null),
    store,
    ...(input.has('insecure-http') || old?.insecure_http === true ? { insecure_http: true } : {}),
  };
  writeUserFile(environment, {
    ...userFile,
    default_profile: userFile.default_profile ?? profileName,
    profiles: { ...userFile.profiles, [profileName]: profile },
  });
  const isOurs = before !== null && before.made_by !== 'paste' && before.token_id !== null;
  const replaced =
    isOurs &&
    before.token !== signIn.token &&
    (await revokeOld(context, origin, before.token, before.token_id));
  return { profileName, replaced };
}

/**
 * Returns the name of the profile, which is that of the host; the port distinguishes several servers of one machine.
 */
function profileNameFor(origin: string, profiles: Readonly<Record<string, Profile>>): string {
  const same = Object.keys(profiles).find((name) => sameOrigin(profiles[name]?.url ?? '', origin));
  if (same !== undefined) return same;
  const { hostname, host } = new URL(origin);
  return profiles[hostname] === undefined ? hostname : host;
}

async function revokeOld(
  context: Context,
  origin: string,
  token: string,
  tokenId: string | null,
): Promise<boolean> {
  if (tokenId === null || token === '') return false;
  const api = openApi(context, origin, token, {
    credential: 'the old token',
    profileName: null,
    isFromEnvironment: false,
  });
  try {
    return (await api.attempt(revokeMemberToken, { params: { tokenId } })).ok;
  } catch {
    return false;
  }
}
