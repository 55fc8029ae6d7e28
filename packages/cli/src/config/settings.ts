import { CliError, usageError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { isLoopback, readAddress } from './address.ts';
import { type Environment, variable } from './folders.ts';
import { type ProjectFile, readProjectFile } from './project-file.ts';
import { type Profile, readUserFile, type UserFile } from './user-file.ts';

/** The level from which a value came (docs/contract/command-line.md 2.6). */
type Level = 'flag' | 'environment' | 'project file' | 'profile' | 'default';

/** The server that a command talks to, and what belongs to it. */
export interface Settings {
  origin: string;
  originFrom: Level;
  /** The source of the address, for messages. */
  originName: string;
  /** The profile of that origin, when there is one. */
  profileName: string | null;
  profile: Profile | null;
  /** The project in its written form: id, slug or name. */
  project: string | null;
  projectFile: ProjectFile | null;
  userFile: UserFile;
  notes: string[];
}

/** The choices from flags and environment. */
export interface Choices {
  url: string | null;
  profile: string | null;
  project: string | null;
  directory: string;
  environment: Environment;
}

const URL_VARIABLES = ['CULPRIT_URL', 'CULPRIT_BASE_URL', 'CULPRIT_ENDPOINT'] as const;
/** Tried by the commands of a first day when nothing names a server. */
const DEFAULT_ORIGIN = 'http://localhost:4800';

/**
 * Resolves address, profile and project, field by field.
 * @param triesDefault whether the address of a server on this machine is taken when nothing names another
 */
export function readSettings(choices: Choices, triesDefault = false): Settings {
  const { environment, directory } = choices;
  const userFile = readUserFile(environment);
  const projectFile = readProjectFile(directory, environment);
  const notes: string[] = [];
  const named = choices.profile ?? variable(environment, 'CULPRIT_PROFILE');
  if (named !== null && userFile.profiles[named] === undefined) {
    throw usageError(
      `There is no profile "${named}".`,
      Object.keys(userFile.profiles).length === 0
        ? 'culprit login'
        : `the profiles are ${Object.keys(userFile.profiles).join(', ')}`,
    );
  }
  const address = addressOf(choices, named, userFile, projectFile);
  if (address === null && !triesDefault) {
    throw new CliError('Not signed in to any server.', {
      exit: EXIT.auth,
      code: 'not_signed_in',
      hint: 'sign in with: culprit login',
    });
  }
  const { text, level, name } = address ?? {
    text: DEFAULT_ORIGIN,
    level: 'default' as const,
    name: 'this machine',
  };
  const { origin, droppedVersion } =
    level === 'environment' && name === 'CULPRIT_ENDPOINT'
      ? { origin: originOf(text, name), droppedVersion: false }
      : readAddress(text, name);
  if (droppedVersion) notes.push(`The address of the server is ${origin}; /v1 is not part of it.`);
  const profileName = named ?? profileOf(userFile, origin);
  const profile = profileName === null ? null : (userFile.profiles[profileName] ?? null);
  const isOfProfile = profile !== null && sameOrigin(profile.url, origin);
  return {
    origin,
    originFrom: level,
    originName: name,
    profileName: isOfProfile ? profileName : null,
    profile: isOfProfile ? profile : null,
    project:
      choices.project ??
      variable(environment, 'CULPRIT_PROJECT') ??
      projectFile?.projectId ??
      (isOfProfile ? profile.project_id : null),
    projectFile,
    userFile,
    notes,
  };
}

/** Refuses an address without encryption, unless it is of this machine or was allowed at sign-in. */
export function requireSafeAddress({ origin, userFile }: Settings): void {
  if (!origin.startsWith('http:') || isLoopback(origin)) return;
  const isAllowed = Object.values(userFile.profiles).some(
    (profile) => profile.insecure_http === true && sameOrigin(profile.url, origin),
  );
  if (isAllowed) return;
  throw usageError(
    `${origin} is not encrypted: anyone on the network can read the token.`,
    `use https, or allow it once: culprit login --url ${origin} --insecure-http`,
  );
}

export function sameOrigin(url: string, origin: string): boolean {
  try {
    return new URL(url).origin === origin;
  } catch {
    return false;
  }
}

interface Address {
  text: string;
  level: Level;
  name: string;
}

function addressOf(
  choices: Choices,
  named: string | null,
  userFile: UserFile,
  projectFile: ProjectFile | null,
): Address | null {
  if (choices.url !== null) return { text: choices.url, level: 'flag', name: '--url' };
  const ofProfile = (name: string | null): Address | null => {
    const url = name === null ? undefined : userFile.profiles[name]?.url;
    return url === undefined ? null : { text: url, level: 'profile', name: `profile "${name}"` };
  };
  // A profile that the command names is as near as any flag.
  if (choices.profile !== null) return ofProfile(choices.profile);
  for (const name of URL_VARIABLES) {
    const text = variable(choices.environment, name);
    if (text !== null) return { text, level: 'environment', name };
  }
  if (named !== null) return ofProfile(named);
  if (projectFile?.url != null)
    return { text: projectFile.url, level: 'project file', name: projectFile.path };
  const only = Object.keys(userFile.profiles);
  return ofProfile(userFile.default_profile ?? (only.length === 1 ? (only[0] ?? null) : null));
}

function originOf(text: string, name: string): string {
  try {
    return new URL(text).origin;
  } catch {
    throw usageError(`${name} is not an address.`);
  }
}

/** The profile of an origin: the default one, else the first. */
function profileOf({ default_profile, profiles }: UserFile, origin: string): string | null {
  const fitting = Object.keys(profiles).filter((name) => sameOrigin(profiles[name]?.url ?? '', origin));
  if (default_profile !== null && fitting.includes(default_profile)) return default_profile;
  return fitting[0] ?? null;
}
