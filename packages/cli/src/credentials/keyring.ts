import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

/** The library is not installed with this program: users who want it install it. */
const LIBRARY = '@napi-rs/keyring';
const SERVICE = 'culprit';

interface Entry {
  getPassword(): string | null;
  setPassword(password: string): void;
  deletePassword(): boolean;
}
type EntryClass = new (service: string, account: string) => Entry;

/** The token of a profile in the key store of this machine. */
export async function readKeyring(origin: string, profile: string): Promise<string> {
  const token = (await entryOf(origin, profile)).getPassword();
  if (token === null) throw unusable('has no token for this profile');
  return token;
}

/** Stores a token, and proves before that what is written can be read and deleted again. */
export async function writeKeyring(origin: string, profile: string, token: string): Promise<void> {
  const probe = await entryOf(origin, `${profile} (probe)`);
  try {
    probe.setPassword('probe');
    const isWhole = probe.getPassword() === 'probe' && probe.deletePassword();
    if (!isWhole) throw new Error('not the same');
  } catch {
    throw unusable('does not keep stored values');
  }
  (await entryOf(origin, profile)).setPassword(token);
}

export async function deleteKeyring(origin: string, profile: string): Promise<void> {
  try {
    (await entryOf(origin, profile)).deletePassword();
  } catch {
    // It is not there, which is what was wanted.
  }
}

async function entryOf(origin: string, profile: string): Promise<Entry> {
  let library: unknown;
  try {
    // A name in a variable keeps the bundler from looking for it.
    library = await import(LIBRARY);
  } catch {
    throw unusable(`needs ${LIBRARY}, which is not installed`);
  }
  if (!hasEntry(library)) throw unusable('is an unknown release');
  return new library.Entry(SERVICE, `${origin} ${profile}`);
}

function hasEntry(library: unknown): library is { Entry: EntryClass } {
  return (
    typeof library === 'object' &&
    library !== null &&
    'Entry' in library &&
    typeof library.Entry === 'function'
  );
}

function unusable(why: string): CliError {
  return new CliError(`The key store ${why}.`, {
    exit: EXIT.failed,
    code: 'keyring_unusable',
    hint: 'sign in with the file as store: culprit login --store file',
  });
}
