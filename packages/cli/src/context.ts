import type { Api } from './api/api.ts';
import type { Choices } from './config/settings.ts';
import { readSettings, requireSafeAddress, type Settings } from './config/settings.ts';
import type { Credential } from './credentials/credentials.ts';
import type { Globals } from './globals.ts';
import type { Terminal } from './output/terminal.ts';

/** The resources with which a command works. */
export interface Context {
  terminal: Terminal;
  globals: Globals;
  environment: NodeJS.ProcessEnv;
  /** The directory in which the command was called. */
  directory: string;
  /** Is aborted at the first interruption. */
  interrupted: AbortSignal;
  /** Address, profile and project; read once. */
  settings(): Settings;
  /** The API with the member token of the settings. */
  api(): Promise<Api>;
  credential(): Promise<Credential>;
}

/** The settings and the API of one command, loaded and made when they are first needed. */
export function createContext(parts: Omit<Context, 'settings' | 'api' | 'credential'>): Context {
  let settings: Settings | null = null;
  let credential: Promise<Credential> | null = null;
  let api: Promise<Api> | null = null;
  const context: Context = {
    ...parts,
    settings() {
      if (settings === null) {
        settings = readSettings(choicesOf(context));
        for (const note of settings.notes) warn(context, note);
        requireSafeAddress(settings);
      }
      return settings;
    },
    credential() {
      credential ??= (async () => {
        const { memberCredential } = await import('./credentials/credentials.ts');
        return await memberCredential(context.settings(), context.environment, (text) => warn(context, text));
      })();
      return credential;
    },
    api() {
      api ??= (async () => {
        const used = await context.credential();
        const { memberApi } = await import('./api/open-api.ts');
        return memberApi(context, context.settings(), used);
      })();
      return api;
    },
  };
  return context;
}

/** Returns the choices of flags and environment, for `readSettings`. */
export function choicesOf({ globals, directory, environment }: Context): Choices {
  const { url, profile, project } = globals;
  return { url, profile, project, directory, environment };
}

/** A remark on standard error. */
export function warn({ terminal, globals }: Context, text: string): void {
  if (!globals.quiet) terminal.err(`${text}\n`);
}
