import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { authError, CliError } from '../cli-error.ts';
import { isLoopback } from '../config/address.ts';
import { type Environment, variable } from '../config/folders.ts';
import { type Settings, sameOrigin } from '../config/settings.ts';
import { EXIT } from '../exit-codes.ts';
import { tokenPreview } from '../output/secrets.ts';
import { readCredentialFile, type StoredMember } from './credential-file.ts';
import { readKeyring } from './keyring.ts';
import { requireTokenKind } from './token-words.ts';

/** A token with what names it in words: the token itself is never printed. */
export interface Credential {
  token: string;
  /** The name of the credential, which completes "the server does not accept …". */
  source: string;
  store: 'file' | 'keyring' | 'env' | 'command';
  stored: StoredMember | null;
}

const TOKEN_COMMAND_TIMEOUT_MS = 10_000;

/** The member token for the server; throws with the next step when there is none that may be sent there. */
export async function memberCredential(
  settings: Settings,
  environment: Environment,
  warn: (text: string) => void,
): Promise<Credential> {
  const fromEnvironment = variable(environment, 'CULPRIT_TOKEN');
  if (fromEnvironment !== null) {
    requireTokenKind(fromEnvironment, 'member', 'CULPRIT_TOKEN');
    requireTrustedOrigin(settings, 'CULPRIT_TOKEN');
    return { token: fromEnvironment, source: 'the token in CULPRIT_TOKEN', store: 'env', stored: null };
  }
  const { origin, profileName, profile } = settings;
  if (profileName !== null && profile?.token_command !== undefined) {
    const token = await runTokenCommand(profile.token_command);
    requireTokenKind(token, 'member', 'The output of token_command');
    return {
      token,
      source: `the token of token_command of profile "${profileName}"`,
      store: 'command',
      stored: null,
    };
  }
  const stored =
    profileName === null
      ? undefined
      : readCredentialFile(environment, warn).origins[origin]?.members[profileName];
  if (profileName === null || stored === undefined) {
    throw authError(`Not signed in to ${origin}.`, `sign in with: culprit login --url ${origin}`);
  }
  const token = profile?.store === 'keyring' ? await readKeyring(origin, profileName) : stored.token;
  return {
    token,
    source: `the stored token of profile "${profileName}" (${tokenPreview(token)})`,
    store: profile?.store ?? 'file',
    stored,
  };
}

/** The project token for the server and project, or null when none is stored. */
export function projectCredential(
  settings: Settings,
  environment: Environment,
  projectId: string | null,
  warn: (text: string) => void,
): { token: string; source: string } | null {
  const fromEnvironment = variable(environment, 'CULPRIT_PROJECT_TOKEN');
  if (fromEnvironment !== null) {
    requireTokenKind(fromEnvironment, 'project', 'CULPRIT_PROJECT_TOKEN');
    requireTrustedOrigin(settings, 'CULPRIT_PROJECT_TOKEN');
    return { token: fromEnvironment, source: 'the token in CULPRIT_PROJECT_TOKEN' };
  }
  if (projectId === null) return null;
  const stored = readCredentialFile(environment, warn).origins[settings.origin]?.projects[projectId];
  return stored === undefined
    ? null
    : {
        token: stored.token,
        source: `the stored token of project ${projectId} (${tokenPreview(stored.token)})`,
      };
}

/**
 * A token of the environment goes where the user said: an address that only a file of a cloned repository names could
 * draw it out.
 */
function requireTrustedOrigin({ origin, originFrom, originName, userFile }: Settings, name: string): void {
  if (originFrom !== 'project file' || isLoopback(origin)) return;
  if (Object.values(userFile.profiles).some(({ url }) => sameOrigin(url, origin))) return;
  throw new CliError(`${name} is not sent to ${origin}, which only ${originName} names.`, {
    exit: EXIT.auth,
    code: 'untrusted_address',
    hint: `culprit login --url ${origin}, or set CULPRIT_URL`,
  });
}

/** The first line that a program prints, for password managers. No shell is involved. */
async function runTokenCommand([program = '', ...args]: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: TOKEN_COMMAND_TIMEOUT_MS });
    return stdout.split('\n')[0]?.trim() ?? '';
  } catch {
    throw authError(`token_command "${program}" failed.`, 'run it by hand to see why');
  }
}
