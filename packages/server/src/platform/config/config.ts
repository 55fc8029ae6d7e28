import { join, resolve } from 'node:path';
import { isLoopbackUrl } from '../loopback-url.ts';
import type { ObjectStoreLocation } from '../objects/open-object-store.ts';
import { closestName } from './closest-name.ts';
import { configContradictions, configWarnings } from './config-contradictions.ts';
import { type GivenSettings, SETTING_GROUPS } from './setting-table.ts';
import type { Setting } from './settings/setting.ts';

/**
 * The variables of the command line and of the client libraries (docs/contract/server-additions.md S29). The server
 * accepts them although they are not its settings, because users of both set them in the same shell.
 */
const CLIENT_NAMES: ReadonlySet<string> = new Set([
  'CULPRIT_URL',
  'CULPRIT_TOKEN',
  'CULPRIT_PROJECT',
  'CULPRIT_PROJECT_TOKEN',
  'CULPRIT_PROFILE',
  'CULPRIT_CONFIG_DIR',
  'CULPRIT_NO_INPUT',
  'CULPRIT_ENDPOINT',
  'CULPRIT_DSN',
  'CULPRIT_ENABLED',
  'CULPRIT_MODE',
  'CULPRIT_SERVICE',
  'CULPRIT_ENVIRONMENT',
  'CULPRIT_RELEASE',
  'CULPRIT_COMMIT',
  'CULPRIT_DEBUG',
  'CULPRIT_LOCAL_DIR',
]);

/** All settings of this process, checked and complete. */
export type Config = Omit<
  GivenSettings,
  | 'baseUrl'
  | 'appUrl'
  | 'dataDir'
  | 'roles'
  | 'signup'
  | 'signinRatePerMin'
  | 'emailTransport'
  | 'emailFrom'
  | 'emailDir'
  | 'objectStore'
> & {
  /** Without a final slash. */
  baseUrl: string;
  appUrl: string;
  /** True when the base URL was not set, so that a server on port 0 can correct it. */
  isBaseUrlDefault: boolean;
  isBaseUrlLoopback: boolean;
  /** Absolute. */
  dataDir: string;
  objectStore: ObjectStoreLocation;
  roles: readonly ('api' | 'worker')[];
  signup: 'open' | 'invited' | 'closed';
  signinRatePerMin: number;
  isCookieSecure: boolean;
  emailTransport: 'smtp' | 'console' | 'file' | 'off';
  emailFrom: string;
  emailDir: string;
  /** Sentences to log at start: allowed, but probably not meant. */
  warnings: readonly string[];
};

/** Reports all problems of the settings together; the message lists each with its name. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
    super(`${count} not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const ROLES = ['api', 'worker'] as const;
const PREFIX = 'CULPRIT_';
/** Names the test suite passes between its processes; not settings. */
const TEST_PREFIX = 'CULPRIT_TEST_';
const SHOWN_CHARACTERS_MAX = 80;

/**
 * Reads the settings of docs/contract/account.md 14 from the environment. A variable that is set to nothing counts as
 * unset.
 *
 * Fails with `ConfigError` for values of the wrong kind, unknown `CULPRIT_*` names and contradictions.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const { given, refusals } = readSettings(env);
  const problems = [...unknownNames(env), ...refusals, ...configContradictions(given, env)];
  if (problems.length > 0) {
    throw new ConfigError(problems);
  }
  // Nothing was refused, so each field of the table is there.
  return completeConfig(given as GivenSettings, env);
}

function unknownNames(env: Record<string, string | undefined>): string[] {
  const known: string[] = settingEntries().map(([, setting]) => setting.name);
  const unknown = Object.keys(env).filter(
    (name) =>
      name.startsWith(PREFIX) &&
      !name.startsWith(TEST_PREFIX) &&
      !CLIENT_NAMES.has(name) &&
      env[name] !== undefined &&
      !known.includes(name),
  );
  return unknown.sort().map((name) => {
    const meant = closestName(name, known);
    return meant === null ? `${name} is unknown` : `${name} is unknown; did you mean ${meant}?`;
  });
}

function readSettings(env: Record<string, string | undefined>): {
  given: Partial<GivenSettings>;
  refusals: string[];
} {
  const values: Record<string, unknown> = {};
  const refusals: string[] = [];
  for (const [field, setting] of settingEntries()) {
    const text = env[setting.name]?.trim() ?? '';
    const value = text === '' ? setting.default : setting.kind.parse(text);
    if (value === undefined) {
      refusals.push(`${setting.name} must be ${setting.kind.words}${notThis(text, setting)}`);
    } else {
      values[field] = value;
    }
  }
  // Each field holds what the entry of the same name parsed, which is what the type says.
  return { given: values as Partial<GivenSettings>, refusals };
}

function notThis(text: string, setting: AnySetting): string {
  return setting.kind.isSecret ? '' : `, not ${JSON.stringify(text.slice(0, SHOWN_CHARACTERS_MAX))}`;
}

/** Fills the defaults that depend on other settings. */
function completeConfig(given: GivenSettings, env: Record<string, string | undefined>): Config {
  const baseUrl = given.baseUrl ?? `http://localhost:${given.port}`;
  const isBaseUrlLoopback = isLoopbackUrl(baseUrl);
  const dataDir = given.dataDir ?? resolve('data');
  const mailWithoutServer = isBaseUrlLoopback ? 'console' : 'off';
  const objectStore: ObjectStoreLocation =
    given.objectStore === null
      ? { kind: 'files', directory: join(dataDir, 'objects') }
      : { kind: 's3', ...given.objectStore };
  const config = {
    ...given,
    baseUrl,
    appUrl: given.appUrl ?? baseUrl,
    isBaseUrlDefault: given.baseUrl === null,
    isBaseUrlLoopback,
    dataDir,
    objectStore,
    roles: given.roles === null ? ROLES : [...new Set(given.roles)],
    signup: given.signup ?? (isBaseUrlLoopback ? 'open' : 'invited'),
    signinRatePerMin: given.signinRatePerMin ?? (isBaseUrlLoopback ? 600 : 10),
    isCookieSecure:
      given.cookieSecure === 'auto' ? baseUrl.startsWith('https:') : given.cookieSecure === 'true',
    emailTransport: given.emailTransport ?? (given.smtpUrl === null ? mailWithoutServer : 'smtp'),
    emailFrom: given.emailFrom ?? `culprit@${new URL(baseUrl).hostname}`,
    emailDir: given.emailDir ?? join(dataDir, 'mail'),
  } as const;
  return { ...config, warnings: configWarnings(config, env) };
}

/** The settings as a document in Markdown; `docs/configuration.md` is generated from it. */
export function renderConfigurationDoc(): string {
  const lines = [
    '# Configuration',
    '',
    'Settings are environment variables. All have safe defaults: `npm start` needs none of them. Unknown names, values',
    'of the wrong form and conflicting settings prevent the start, with one message that lists every problem.',
    'An empty variable counts as unset. Lists are comma-separated. Variables of the command line and',
    'client libraries, such as `CULPRIT_TOKEN`, are ignored.',
    '',
    'This page is generated from the table of settings; `npm run generate` updates it.',
  ];
  for (const [title, settings] of Object.entries(SETTING_GROUPS)) {
    lines.push('', `## ${title}`, '', '| Setting | Value | Default | Meaning |', '|---|---|---|---|');
    for (const setting of Object.values<AnySetting>(settings)) {
      const cells = [`\`${setting.name}\``, setting.kind.words, defaultWords(setting), setting.doc];
      lines.push(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function defaultWords(setting: AnySetting): string {
  const value = setting.default;
  if (setting.defaultWords !== undefined) {
    return setting.defaultWords;
  }
  if (value === null || (Array.isArray(value) && value.length === 0)) {
    return 'unset';
  }
  return `\`${typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)}\``;
}

type AnySetting = Setting<unknown, unknown>;

function settingEntries(): [string, AnySetting][] {
  return Object.values(SETTING_GROUPS).flatMap((group) => Object.entries<AnySetting>(group));
}
