import { readFileSync } from 'node:fs';
import { isMutation } from '@culprit/contract/endpoints/endpoint';
import { problemWords } from '@culprit/mcp/words/problem-words';
import { type HttpAnswer, NoAnswer, sendHttp } from '../../api/http-send.ts';
import { exitOfStatus } from '../../api/problem-error.ts';
import { transportError } from '../../api/transport-words.ts';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { isObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { projectCredential } from '../../credentials/credentials.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { readStandardInput } from '../../output/ask.ts';
import { printLines } from '../../output/print.ts';
import { visibleJson, visibleText } from '../../output/visible-text.ts';
import { chosenProjectId } from '../../references/project-reference.ts';
import { VERSION } from '../../version.ts';

const ANSWER_BYTES_MAX = 8 * 1_048_576;
const PAGES_MAX = 1000;

export const run: Run = async (context, input) => {
  if (input.has('list')) return await listEndpoints(context, input.args[0] ?? '');
  const path = input.first;
  if (!path.startsWith('/') || path.startsWith('//')) {
    throw usageError(
      'PATH must begin with one "/" and not include a server.',
      'culprit api /v1/projects, with --url for the server',
    );
  }
  const body = await bodyOf(input);
  const method = (input.text('method') ?? (body === null ? 'GET' : 'POST')).toUpperCase();
  if (input.has('paginate') && method !== 'GET') throw usageError('--paginate works only with GET.');
  const token = await tokenFor(context, input);
  const url = urlOf(context.settings().origin, path, input.list('query'));
  const send = (to: URL) => call(context, to, { method, body, token });
  return input.has('paginate') ? await paginate(context, url, send) : print(context, input, await send(url));
};

interface Sent {
  method: string;
  body: string | null;
  token: string;
}

async function call(
  { globals, terminal }: Context,
  url: URL,
  { method, body, token }: Sent,
): Promise<HttpAnswer> {
  const startedAt = performance.now();
  try {
    const answer = await sendHttp(url.href, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'user-agent': `culprit-cli/${VERSION}`,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      body: body ?? (isMutation(method) ? '' : undefined),
      timeoutMs: globals.timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    if (globals.verbose) {
      const durationMs = Math.round(performance.now() - startedAt);
      const requestId = answer.headers.get('x-request-id') ?? '-';
      terminal.err(`${method} ${url.pathname} ${answer.status} ${durationMs} ms ${requestId}\n`);
    }
    return answer;
  } catch (error) {
    if (error instanceof NoAnswer) throw transportError(error.code, error.message, url.origin);
    throw error;
  }
}

async function print(context: Context, input: Input, answer: HttpAnswer): Promise<ExitCode> {
  const { terminal } = context;
  const text = await answer.text();
  if (input.has('include')) {
    terminal.out(`HTTP ${answer.status}\n`);
    for (const [name, value] of answer.headers) {
      if (name !== 'set-cookie') terminal.out(`${name}: ${visibleText(value)}\n`);
    }
    terminal.out('\n');
  }
  if (text !== '') terminal.out(`${shown(text, terminal.isOutTerminal)}\n`);
  return exitOf(answer.status, text);
}

/** Follows `next_cursor`, and prints one body with all rows. */
async function paginate(
  context: Context,
  url: URL,
  send: (to: URL) => Promise<HttpAnswer>,
): Promise<ExitCode> {
  let merged: Record<string, unknown> | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const answer = await send(url);
    const text = await answer.text();
    const value = parsed(text);
    if (answer.status >= 300 || !isObject(value)) {
      context.terminal.out(`${shown(text, context.terminal.isOutTerminal)}\n`);
      return exitOf(answer.status, text);
    }
    merged = merged === null ? value : mergePages(merged, value);
    const { next_cursor: cursor } = value;
    if (typeof cursor !== 'string') break;
    url.searchParams.set('cursor', cursor);
  }
  context.terminal.out(`${visibleJson(merged, context.terminal.isOutTerminal ? 2 : undefined)}\n`);
  return EXIT.ok;
}

function mergePages(before: Record<string, unknown>, page: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(page).map(([key, value]) => {
      const earlier = before[key];
      return [key, Array.isArray(value) && Array.isArray(earlier) ? [...earlier, ...value] : value];
    }),
  );
}

/** The exit code of an answer: by its code where that has words, else by its status. */
function exitOf(status: number, text: string): ExitCode {
  if (status >= 200 && status < 300) return EXIT.ok;
  const value = parsed(text);
  const code = isObject(value) && typeof value.error === 'string' ? value.error : '';
  const known = problemWords(code);
  return known === null ? exitOfStatus(status) : EXIT[known.kind];
}

/** JSON indented at a terminal; everything else with visible escapes. */
function shown(text: string, isTerminal: boolean): string {
  const value = parsed(text);
  return value === undefined ? visibleText(text) : visibleJson(value, isTerminal ? 2 : undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function tokenFor(context: Context, input: Input): Promise<string> {
  if (input.text('as') !== 'project') return (await context.credential()).token;
  const settings = context.settings();
  const projectId =
    settings.project ??
    (context.environment.CULPRIT_PROJECT_TOKEN
      ? null
      : await chosenProjectId(context, { isOptional: false }));
  const found = projectCredential(settings, context.environment, projectId, () => {});
  if (found === null)
    throw usageError('There is no project token for this project.', 'set CULPRIT_PROJECT_TOKEN');
  return found.token;
}

function urlOf(origin: string, path: string, query: readonly string[]): URL {
  const url = new URL(path, origin);
  if (url.origin !== origin) throw usageError('PATH points to another server.');
  for (const pair of query) {
    const [key, value] = split(pair);
    url.searchParams.append(key, value);
  }
  return url;
}

async function bodyOf(input: Input): Promise<string | null> {
  const file = input.text('input');
  const fields = [...input.list('raw-field'), ...input.list('field')];
  if (file !== null) {
    if (fields.length > 0) throw usageError('--input and fields cannot be combined.');
    return file === '-' ? await readStandardInput() : readFileSync(file, 'utf8');
  }
  if (fields.length === 0) return null;
  const body: Record<string, unknown> = {};
  for (const pair of input.list('raw-field')) {
    const [key, value] = split(pair);
    body[key] = value;
  }
  for (const pair of input.list('field')) {
    const [key, value] = split(pair);
    const read = parsed(value);
    if (read === undefined) throw usageError(`"${value}" is not JSON.`, `as text: -f ${key}=${value}`);
    body[key] = read;
  }
  return JSON.stringify(body);
}

function split(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at <= 0) throw usageError(`"${pair}" is not KEY=VALUE.`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** The endpoints of the contract that this program was built with. */
async function listEndpoints(context: Context, word: string): Promise<ExitCode> {
  const { api } = await import('@culprit/contract/endpoints/api');
  const lines = api
    .map(({ method, path, auth, summary }) => ({ method, path, auth, summary }))
    .filter(({ path, summary }) => `${path} ${summary}`.toLowerCase().includes(word.toLowerCase()));
  if (context.globals.json) {
    context.terminal.out(`${JSON.stringify({ endpoints: lines })}\n`);
    return EXIT.ok;
  }
  printLines(
    context,
    lines.map(
      ({ method, path, auth, summary }) =>
        `${method.padEnd(6)} ${path.padEnd(60)} ${auth.padEnd(13)} ${summary}`,
    ),
  );
  return EXIT.ok;
}
