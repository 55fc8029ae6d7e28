import type { Settings } from '../config/settings.ts';
import type { Credential } from '../credentials/credentials.ts';
import type { Globals } from '../globals.ts';
import type { Terminal } from '../output/terminal.ts';
import { newerReleaseWords, PACKAGES_HEADER } from '../packages/newer-release.ts';
import { VERSION } from '../version.ts';
import { Api } from './api.ts';
import { type HttpAnswer, useProxyOfEnvironment } from './http-send.ts';

/** The parts of a command that a call needs. */
interface Caller {
  terminal: Terminal;
  globals: Globals;
  environment: NodeJS.ProcessEnv;
}

/** Doors to a server. Commands that ask none never load this. */

export function memberApi(context: Caller, settings: Settings, used: Credential): Api {
  const place = {
    credential: used.source,
    profileName: settings.profileName,
    isFromEnvironment: used.store === 'env',
  };
  const onAnswer = ({ headers }: HttpAnswer) => {
    if (context.globals.quiet) return;
    const words = newerReleaseWords(context.environment, settings.origin, headers.get(PACKAGES_HEADER));
    if (words !== null) context.terminal.err(`${words}\n`);
  };
  return openApi(context, settings.origin, used.token, place, { onAnswer });
}

/** An API with any credential, or without one. */
export function openApi(
  { terminal, globals, environment }: Caller,
  origin: string,
  token: string | null,
  place: { credential: string; profileName: string | null; isFromEnvironment: boolean },
  more: { headers?: Readonly<Record<string, string>>; onAnswer?: (answer: HttpAnswer) => void } = {},
): Api {
  useProxyOfEnvironment(environment);
  return new Api({
    origin,
    token,
    place,
    timeoutMs: globals.timeoutMs,
    trace: globals.verbose ? (line) => terminal.err(`${line}\n`) : null,
    version: VERSION,
    ...more,
  });
}

/** The API without a credential, for what is public. */
export function publicApi(context: Caller, origin: string): Api {
  return openApi(context, origin, null, {
    credential: 'no token',
    profileName: null,
    isFromEnvironment: false,
  });
}
