import { join } from 'node:path';
import { configFolder, type Environment } from './folders.ts';
import { checkKeys, isObject, readSettingsFile } from './json-file.ts';
import { writeWhole } from './write-file.ts';

/** An address with its default project (docs/contract/command-line.md 3). */
export interface Profile {
  url: string;
  project_id: string | null;
  store: 'file' | 'keyring';
  /** A program and its arguments whose first line of output is the token. */
  token_command?: string[];
  insecure_http?: boolean;
}

/** The user's settings, `config.json` of the user folder. */
export interface UserFile {
  default_profile: string | null;
  profiles: Record<string, Profile>;
  /** Origins of this machine that a person agreed to, to which `reproduce --run` sends what changes nothing without asking. */
  reproduce_origins: string[];
}

const KEYS = { default_profile: 'text', profiles: 'object', reproduce_origins: 'texts' } as const;
const PROFILE_KEYS = {
  url: 'text',
  project_id: 'text',
  store: 'text',
  token_command: 'texts',
  insecure_http: 'boolean',
} as const;

function userFilePath(environment: Environment): string {
  return join(configFolder(environment), 'config.json');
}

/** The user's settings; those of a first start when there is no file. */
export function readUserFile(environment: Environment): UserFile {
  const path = userFilePath(environment);
  const read = readSettingsFile(path, KEYS);
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  const profiles: Record<string, Profile> = {};
  const stored = read?.get('profiles');
  for (const [name, value] of Object.entries(isObject(stored) ? stored : {})) {
    const fields = checkKeys(value, PROFILE_KEYS, path, `profiles.${name}`);
    const command = texts(fields.get('token_command'));
    profiles[name] = {
      url: text(fields.get('url')) ?? '',
      project_id: text(fields.get('project_id')),
      store: fields.get('store') === 'keyring' ? 'keyring' : 'file',
      ...(command.length === 0 ? {} : { token_command: command }),
      ...(fields.get('insecure_http') === true ? { insecure_http: true } : {}),
    };
  }
  return {
    default_profile: text(read?.get('default_profile')),
    profiles,
    reproduce_origins: texts(read?.get('reproduce_origins')),
  };
}

export function writeUserFile(environment: Environment, file: UserFile): void {
  writeWhole(userFilePath(environment), `${JSON.stringify(file, null, 2)}\n`);
}
