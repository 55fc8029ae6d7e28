import { chmodSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { configFolder, type Environment } from '../config/folders.ts';
import { isObject } from '../config/json-file.ts';
import { writeWhole } from '../config/write-file.ts';
import { EXIT } from '../exit-codes.ts';

/**
 * The ways in which a member token came here; `logout` revokes only those that this program created without a question.
 */
const MADE_HERE = ['email', 'device', 'exchange', 'browser'] as const;

export type MadeBy = 'paste' | (typeof MADE_HERE)[number];

export interface StoredMember {
  token: string;
  token_id: string | null;
  made_by: MadeBy;
  label: string | null;
  added_at: string;
}

interface StoredProject {
  token: string;
  token_id: string | null;
  added_at: string;
}

/** Secrets by the origin they were made for; they are sent to no other. */
interface OriginCredentials {
  /** By profile. */
  members: Record<string, StoredMember>;
  /** By project id. */
  projects: Record<string, StoredProject>;
  /** Secrets with which `webhooks listen` signs, by project id. */
  listen: Record<string, string>;
}

interface CredentialFile {
  origins: Record<string, OriginCredentials>;
}

export function credentialFilePath(environment: Environment): string {
  return join(configFolder(environment), 'credentials.json');
}

/**
 * Reads the stored secrets.
 * @param warn is called when others could read the file, which is corrected
 */
export function readCredentialFile(environment: Environment, warn: (text: string) => void): CredentialFile {
  const path = credentialFilePath(environment);
  let status: ReturnType<typeof lstatSync>;
  try {
    status = lstatSync(path);
  } catch {
    return { origins: {} };
  }
  if (status === undefined || !status.isFile()) throw refuse(path, 'is a symbolic link or not a file');
  if (process.getuid !== undefined && status.uid !== process.getuid())
    throw refuse(path, 'belongs to another user');
  if ((status.mode & 0o077) !== 0) {
    chmodSync(path, 0o600);
    warn(`${path} could be read by other users of this machine; now only you can.`);
  }
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw refuse(path, 'is not JSON');
  }
  return parse(content);
}

/** Reads the stored secrets, changes them, and writes them whole. */
export function changeCredentialFile(environment: Environment, change: (file: CredentialFile) => void): void {
  const file = readCredentialFile(environment, () => {});
  change(file);
  for (const [origin, entry] of Object.entries(file.origins)) {
    const isEmpty = [entry.members, entry.projects, entry.listen].every(
      (part) => Object.keys(part).length === 0,
    );
    if (isEmpty) delete file.origins[origin];
  }
  writeWhole(credentialFilePath(environment), `${JSON.stringify(file, null, 2)}\n`);
}

/** The secrets of one origin; an empty entry is made when there is none. */
export function credentialsOf(file: CredentialFile, origin: string): OriginCredentials {
  const entry = file.origins[origin] ?? { members: {}, projects: {}, listen: {} };
  file.origins[origin] = entry;
  return entry;
}

function refuse(path: string, why: string): CliError {
  return new CliError(`${path} ${why}, so it is not used.`, {
    exit: EXIT.auth,
    code: 'credential_file_refused',
    hint: 'remove it and sign in again: culprit login',
  });
}

function parse(content: unknown): CredentialFile {
  const file: CredentialFile = { origins: {} };
  for (const [origin, entry] of entriesOf(isObject(content) ? content.origins : null)) {
    if (!isObject(entry)) continue;
    const to = credentialsOf(file, origin);
    for (const [name, value] of entriesOf(entry.members)) {
      if (!isObject(value) || typeof value.token !== 'string') continue;
      to.members[name] = {
        token: value.token,
        token_id: textOr(value.token_id),
        made_by: madeBy(value.made_by),
        label: textOr(value.label),
        added_at: textOr(value.added_at) ?? '',
      };
    }
    for (const [name, value] of entriesOf(entry.projects)) {
      if (!isObject(value) || typeof value.token !== 'string') continue;
      to.projects[name] = {
        token: value.token,
        token_id: textOr(value.token_id),
        added_at: textOr(value.added_at) ?? '',
      };
    }
    for (const [name, value] of entriesOf(entry.listen))
      if (typeof value === 'string') to.listen[name] = value;
  }
  return file;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function madeBy(value: unknown): MadeBy {
  return MADE_HERE.find((way) => way === value) ?? 'paste';
}
