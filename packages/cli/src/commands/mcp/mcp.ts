import { createMcpServer } from '@culprit/mcp/mcp-server';
import type { ServiceCalls } from '@culprit/mcp/service/service-calls';
import { serviceSource } from '@culprit/mcp/service/service-source';
import { createChangeLimits } from '@culprit/mcp/tools/change-tools';
import type { Sources } from '@culprit/mcp/tools/read-tools';
import { TOKENS_DEFAULT } from '@culprit/mcp/tools/tool-table';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { CliError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { readProjectFile } from '../../config/project-file.ts';
import type { Settings } from '../../config/settings.ts';
import { type Context, createContext } from '../../context.ts';
import { memberCredential } from '../../credentials/credentials.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { VERSION } from '../../version.ts';
import { eventDirectories } from '../local/local-files.ts';
import { inWords } from './in-words.ts';
import { localSource } from './local-source.ts';

/**
 * Serves incidents to a coding agent over standard input and output until that is closed. It starts without a
 * credential and without a server, and says in each answer what is missing.
 */
export const run: Run = async (context, input) => {
  const { terminal, directory, environment } = context;
  const mayChange =
    input.has('allow-writes') && readProjectFile(directory, environment)?.forbidsAgentWrites !== true;
  const tokensDefault = input.number('max-tokens') ?? TOKENS_DEFAULT;
  const changeLimit = mayChange ? createChangeLimits()('this process') : null;
  const ended = Promise.withResolvers<void>();
  const handle = serveStdio(() =>
    createMcpServer({
      version: VERSION,
      sources: () => inWords(() => currentSources(context, input, tokensDefault)),
      changeLimit,
      onDefect: (error) => terminal.err(`culprit: ${visibleLine(kindOf(error))}\n`),
    }),
  );
  terminal.err(`culprit mcp: ${placeOf(context, input)}, ${mayChange ? 'changes allowed' : 'read-only'}\n`);
  process.stdin.once('end', ended.resolve);
  process.stdin.once('close', ended.resolve);
  context.interrupted.addEventListener('abort', () => ended.resolve(), { once: true });
  await ended.promise;
  await handle.close();
  return EXIT.ok;
};

/** Never the text of an answer, which an event may have written. */
function kindOf(error: unknown): string {
  return error instanceof Error
    ? `${error.name} ${(error.stack ?? '').split('\n')[1]?.trim() ?? ''}`
    : 'a failure';
}

function placeOf(context: Context, input: Input): string {
  if (input.has('local')) return 'local events';
  try {
    const { origin, project } = context.settings();
    return `server ${origin}${project === null ? '' : `, project ${visibleLine(project)}`}`;
  } catch (error) {
    return error instanceof CliError ? 'no usable settings' : 'no settings';
  }
}

/** Read anew for each call: a sign-in, or the first local event, counts from then on. */
async function currentSources(context: Context, input: Input, tokensDefault: number): Promise<Sources> {
  const { terminal, globals, environment, directory, interrupted } = context;
  const fresh = createContext({ terminal, globals, environment, directory, interrupted });
  const hasLocal = eventDirectories(fresh, input).directories.length > 0;
  const local = hasLocal ? localSource(fresh, input) : null;
  if (input.has('local')) return { server: null, local, project: null, tokensDefault };
  const settings = settingsIfAny(fresh);
  if (settings === null && local !== null) return { server: null, local, project: null, tokensDefault };
  const isSignedIn = await memberCredential(settings ?? fresh.settings(), environment, () => {}).then(
    () => true,
    () => false,
  );
  // Without local events the service is called all the same: its failure explains the solution.
  const server = isSignedIn || local === null ? serviceSource(callsOf(fresh)) : null;
  return { server, local, project: fresh.settings().project, tokensDefault };
}

/** Null where no server is named anywhere. */
function settingsIfAny(context: Context): Settings | null {
  try {
    return context.settings();
  } catch (error) {
    if (error instanceof CliError && error.exit === EXIT.auth) return null;
    throw error;
  }
}

/** Calls of a command: its credential, its retries and its words for failures. */
function callsOf(context: Context): ServiceCalls {
  return {
    call: (endpoint, ...input) => inWords(async () => await (await context.api()).call(endpoint, ...input)),
  };
}
