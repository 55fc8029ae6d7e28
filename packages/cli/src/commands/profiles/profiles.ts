import { notFoundError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { type Profile, readUserFile, writeUserFile } from '../../config/user-file.ts';
import type { Context } from '../../context.ts';
import { changeCredentialFile, readCredentialFile } from '../../credentials/credential-file.ts';
import { deleteKeyring, readKeyring, writeKeyring } from '../../credentials/keyring.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printList, say } from '../../output/print.ts';
import { signOut } from '../login/logout.ts';

export const list: Run = async (context) => {
  const { profiles, default_profile } = readUserFile(context.environment);
  const { origins } = readCredentialFile(context.environment, () => {});
  const items = Object.entries(profiles).map(([name, profile]) => ({
    name,
    url: profile.url,
    project_id: profile.project_id,
    store: profile.store,
    is_default: name === default_profile,
    is_signed_in:
      origins[new URL(profile.url).origin]?.members[name] !== undefined ||
      profile.token_command !== undefined,
  }));
  printList(context, {
    items,
    key: 'profiles',
    body: { profiles: items },
    columns: [
      { title: '', cell: ({ is_default }) => (is_default ? '*' : ' ') },
      { title: 'NAME', cell: ({ name }) => name },
      { title: 'SERVER', cell: ({ url }) => url },
      { title: 'SIGNED IN', cell: ({ is_signed_in }) => (is_signed_in ? 'yes' : 'no') },
      { title: 'PROJECT', cell: ({ project_id }) => project_id },
    ],
    id: ({ name }) => name,
    empty: 'No profiles. Sign in with: culprit login',
  });
  return EXIT.ok;
};

export const use: Run = async (context, input) => {
  const file = readUserFile(context.environment);
  requireProfile(file.profiles, input.first);
  writeUserFile(context.environment, { ...file, default_profile: input.first });
  done(context, input.first, `"${input.first}" is now the default.`);
  return EXIT.ok;
};

export const rename: Run = async (context, input) => {
  const [old = '', name = ''] = input.args;
  const file = readUserFile(context.environment);
  const profile = requireProfile(file.profiles, old);
  if (file.profiles[name] !== undefined) throw usageError(`There is already a profile "${name}".`);
  const { [old]: _, ...others } = file.profiles;
  const { origin } = new URL(profile.url);
  const isInKeyring =
    profile.store === 'keyring' &&
    readCredentialFile(context.environment, () => {}).origins[origin]?.members[old] !== undefined;
  if (isInKeyring) await writeKeyring(origin, name, await readKeyring(origin, old));
  changeCredentialFile(context.environment, ({ origins }) => {
    const members = origins[origin]?.members;
    const stored = members?.[old];
    if (members === undefined || stored === undefined) return;
    delete members[old];
    members[name] = stored;
  });
  writeUserFile(context.environment, {
    ...file,
    default_profile: file.default_profile === old ? name : file.default_profile,
    profiles: { ...others, [name]: profile },
  });
  if (isInKeyring) await deleteKeyring(origin, old);
  done(context, name, `"${old}" is called "${name}" now.`);
  return EXIT.ok;
};

export const remove: Run = async (context, input) => {
  const name = input.first;
  requireProfile(readUserFile(context.environment).profiles, name);
  const isDryRun = input.has('dry-run');
  const outcome = await signOut(context, name, { keepsToken: input.has('keep-token'), isDryRun });
  if (isDryRun) {
    done(context, name, `Profile "${name}" would be removed.`);
    return EXIT.ok;
  }
  const file = readUserFile(context.environment);
  const { [name]: _, ...profiles } = file.profiles;
  writeUserFile(context.environment, {
    ...file,
    default_profile: file.default_profile === name ? null : file.default_profile,
    profiles,
  });
  done(context, name, `Profile "${name}" is removed.`);
  return outcome === 'kept' ? EXIT.partial : EXIT.ok;
};

function requireProfile(profiles: Readonly<Record<string, Profile>>, name: string): Profile {
  const profile = profiles[name];
  if (profile === undefined) throw notFoundError(`There is no profile "${name}".`, 'culprit profiles list');
  return profile;
}

function done(context: Context, name: string, words: string): void {
  if (context.globals.json) printJson(context, { profile: name });
  else say(context, words);
}
