import { revokeMemberToken } from '@culprit/contract/workspace/tokens';
import { openApi } from '../../api/open-api.ts';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { variable } from '../../config/folders.ts';
import { readUserFile } from '../../config/user-file.ts';
import type { Context } from '../../context.ts';
import { changeCredentialFile, readCredentialFile } from '../../credentials/credential-file.ts';
import { deleteKeyring, readKeyring } from '../../credentials/keyring.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { askChoice } from '../../output/ask.ts';
import { printJson, say } from '../../output/print.ts';

export const run: Run = async (context, input) => {
  if (variable(context.environment, 'CULPRIT_TOKEN') !== null) {
    throw usageError(
      'The token is in CULPRIT_TOKEN, which this program does not change.',
      'unset CULPRIT_TOKEN',
    );
  }
  const userFile = readUserFile(context.environment);
  const names = input.has('all') ? Object.keys(userFile.profiles) : [profileOf(context)];
  let exit: ExitCode = EXIT.ok;
  for (const name of names) {
    const signedOut = await signOut(context, name, {
      keepsToken: input.has('keep-token'),
      isDryRun: input.has('dry-run'),
    });
    if (signedOut === 'kept') exit = EXIT.partial;
  }
  if (context.globals.json) printJson(context, { profiles: names });
  return exit;
};

function profileOf(context: Context): string {
  const { profileName, origin } = context.settings();
  if (profileName === null) throw usageError(`There is no profile for ${origin}.`, 'culprit profiles list');
  return profileName;
}

/**
 * Revokes the token of a profile when it may, and deletes it here in any case.
 * @returns `kept` when it should have been revoked and still works
 */
export async function signOut(
  context: Context,
  profileName: string,
  { keepsToken, isDryRun }: { keepsToken: boolean; isDryRun: boolean },
): Promise<'done' | 'kept'> {
  const { environment } = context;
  const profile = readUserFile(environment).profiles[profileName];
  const origin = profile === undefined ? '' : new URL(profile.url).origin;
  const stored = readCredentialFile(environment, () => {}).origins[origin]?.members[profileName];
  if (stored === undefined) {
    say(context, `Profile "${profileName}" is not signed in.`);
    return 'done';
  }
  if (isDryRun) {
    const isRevoked = !keepsToken && (stored.made_by !== 'paste' || context.globals.yes);
    const isAsked = !keepsToken && !isRevoked && context.terminal.isInteractive;
    const token = isRevoked
      ? 'revoked'
      : isAsked
        ? 'revoked or only removed here, as you choose'
        : 'only removed here';
    say(context, `Would sign out of ${origin} (profile "${profileName}"); its token would be ${token}.`);
    return 'done';
  }
  let outcome: 'done' | 'kept' = 'done';
  if (!keepsToken && (stored.made_by !== 'paste' || (await mayRevokePasted(context)))) {
    const token = profile?.store === 'keyring' ? await readKeyring(origin, profileName) : stored.token;
    if (!(await revoke(context, origin, token, stored.token_id))) {
      outcome = 'kept';
      say(context, `The token of "${profileName}" could not be revoked: it works until it is revoked.`);
    }
  }
  changeCredentialFile(environment, (file) => {
    delete file.origins[origin]?.members[profileName];
  });
  if (profile?.store === 'keyring') await deleteKeyring(origin, profileName);
  say(context, `Signed out of ${origin} (profile "${profileName}").`);
  return outcome;
}

/** A token that was made elsewhere may be in use elsewhere. */
async function mayRevokePasted(context: Context): Promise<boolean> {
  if (context.globals.yes) return true;
  if (!context.terminal.isInteractive) return false;
  const answer = await askChoice(
    context,
    'The token was pasted, so it may be in use elsewhere. Revoke it?',
    [
      { value: 'keep', label: 'no, only remove it here' },
      { value: 'revoke', label: 'yes, revoke it everywhere' },
    ],
    () => usageError('not reached'),
  );
  return answer === 'revoke';
}

async function revoke(
  context: Context,
  origin: string,
  token: string,
  tokenId: string | null,
): Promise<boolean> {
  const api = openApi(context, origin, token, {
    credential: 'the token',
    profileName: null,
    isFromEnvironment: false,
  });
  try {
    const id = tokenId ?? (await idOf(context, token, api));
    if (id === null) return false;
    const answer = await api.attempt(revokeMemberToken, { params: { tokenId: id } });
    return answer.ok || answer.code === 'invalid_member_token';
  } catch {
    return false;
  }
}

async function idOf(
  context: Context,
  token: string,
  api: Awaited<ReturnType<Context['api']>>,
): Promise<string | null> {
  const { currentToken } = await import('./whoami.ts');
  return (await currentToken({ ...context, api: async () => api }, token))?.token_id ?? null;
}
