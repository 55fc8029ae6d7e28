import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import { getIncident } from '@culprit/contract/incidents/incidents';
import type { ReproductionRequest } from '@culprit/contract/incidents/reproduction';
import { type HttpAnswer, NoAnswer, sendHttp } from '../../api/http-send.ts';
import { usageError } from '../../cli-error.ts';
import { readUserFile, writeUserFile } from '../../config/user-file.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { confirm } from '../../output/ask.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine, visibleText } from '../../output/visible-text.ts';
import { type BuiltRequest, buildRequest } from '../../reproduce/build-request.ts';
import { findTarget, type Target, type TargetKind } from '../../reproduce/target.ts';
import { verdictOf } from '../../reproduce/verdict.ts';
import { sleep } from '../../sleep.ts';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1_048_576;
const GROWTH_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 250;
const SHOWN_CHARS = 600;
/** Origins that are remembered, the last ones. */
const ORIGINS_MAX = 50;
/** Methods that change nothing, by their definition. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Sends the captured request, after consent, and reports whether the failure occurs again. */
export async function runRequest(
  context: Context,
  input: Input,
  id: string,
  spec: ReproductionRequest,
): Promise<ExitCode> {
  const request = buildRequest(spec, {
    baseUrl: input.text('base-url'),
    headers: input.list('header'),
    sets: input.list('set'),
  });
  const target = await findTarget(request.url);
  const api = await context.api();
  const { incident } = await api.call(getIncident, { params: { id } });
  await requireConsent(context, input, request, target.kind, incident.environment);
  const before = incident.occurrence_count;
  const captured = await capturedStatus(context, id);
  const startedAt = performance.now();
  const answer = await send(request, target);
  const durationMs = Math.round(performance.now() - startedAt);
  const answered = answer?.status ?? null;
  const isSettled = captured !== null && answered === captured;
  const after = isSettled ? await countOf(context, id) : await waitForGrowth(context, id, before);
  const { verdict, why } = verdictOf(answered, captured, after > before);
  const text = answer === null ? null : await answer.text();
  const expected = input.text('expect') === 'fixed' ? 'not_reproduced' : 'reproduced';
  if (context.globals.json) {
    printJson(context, {
      incident_id: incident.incident_id,
      request: {
        method: request.method,
        url: request.url.href,
        headers: request.headers,
        body: request.body,
      },
      response:
        answer === null
          ? null
          : {
              status: answer.status,
              headers: Object.fromEntries(answer.headers),
              body: text,
              duration_ms: durationMs,
            },
      expected: { status: captured },
      occurrence_count: { before, after },
      verdict,
      why,
    });
  } else {
    printLines(context, [
      `${verdict}: ${why}`,
      ...(answer === null || context.globals.quiet
        ? []
        : [`${answer.status} in ${durationMs} ms  ${visibleLine((text ?? '').slice(0, SHOWN_CHARS))}`]),
    ]);
  }
  return verdict === expected ? EXIT.ok : EXIT.negative;
}

/**
 * An event's text becomes an action here, and those who may send events choose the origin in it. So a captured origin
 * counts only when the user has named it or agreed to it before, also one of this machine, and what may change something
 * is asked for.
 */
async function requireConsent(
  context: Context,
  input: Input,
  request: BuiltRequest,
  kind: TargetKind,
  environment: string,
): Promise<void> {
  const { url, method, headers, body, leftOut } = request;
  const isNamed = input.has('base-url');
  const { origin } = url;
  // The consent is for a place of this machine: the owner of a name can change its address later.
  const isHere = kind === 'loopback';
  const isRemembered = isHere && context.settings().userFile.reproduce_origins.includes(origin);
  const isAllowed = isNamed || isRemembered;
  if (kind === 'private' && !isAllowed) {
    throw usageError(
      `${origin} is in a private network and comes only from the event.`,
      `confirm it: --base-url ${origin}`,
    );
  }
  context.terminal.err(
    `${[
      `${method} ${visibleLine(url.href)}`,
      ...(environment === 'production' ? ['The incident is of PRODUCTION.'] : []),
      ...(Object.keys(headers).length === 0
        ? []
        : [`headers: ${Object.keys(headers).map(visibleLine).join(', ')}`]),
      ...(leftOut.length === 0
        ? []
        : [`left out, because redacted: ${leftOut.map(visibleLine).join(', ')} (--header)`]),
      ...(body === null ? [] : [`body: ${visibleText(body).slice(0, SHOWN_CHARS)}`]),
    ].join('\n')}\n`,
  );
  if (input.has('dry-run')) throw usageError('Nothing was sent.', 'run it without --dry-run');
  if (isAllowed && SAFE.has(method) && isHere) return;
  // `--yes` agrees to a request, not to a place that the sender of the event chose.
  if (!isAllowed && (!context.terminal.isInteractive || context.globals.yes)) {
    throw usageError(
      `${origin} comes only from the event. Nothing was sent.`,
      `if it is your own application, confirm it: --base-url ${origin}`,
    );
  }
  await confirm(context, `Send this request to ${origin}?`, 'The request may change something.');
  if (!isAllowed && isHere) rememberOrigin(context, origin);
}

/** The next request to a place that was agreed to is asked for only if it may change something. */
function rememberOrigin({ environment }: Context, origin: string): void {
  const file = readUserFile(environment);
  const known = file.reproduce_origins.filter((each) => each !== origin);
  writeUserFile(environment, { ...file, reproduce_origins: [...known, origin].slice(-ORIGINS_MAX) });
}

async function send(
  { method, url, headers, body }: BuiltRequest,
  { addresses }: Target,
): Promise<HttpAnswer | null> {
  try {
    return await sendHttp(url.href, {
      method,
      headers,
      body: body ?? undefined,
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
      addresses,
    });
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

/** The status that was captured with the failure. */
async function capturedStatus(context: Context, id: string): Promise<number | null> {
  const document = await (await context.api()).call(getIncidentBundle, { params: { id } });
  return 'context' in document ? (document.context.response?.status_code ?? null) : null;
}

async function countOf(context: Context, id: string): Promise<number> {
  const { incident } = await (await context.api()).call(getIncident, { params: { id } });
  return incident.occurrence_count;
}

async function waitForGrowth(context: Context, id: string, before: number): Promise<number> {
  const deadline = performance.now() + GROWTH_WAIT_MS;
  say(context, 'Waiting for the incident to count it.');
  let count = await countOf(context, id);
  while (count <= before && performance.now() < deadline && !context.interrupted.aborted) {
    await sleep(LOOK_EVERY_MS, context.interrupted);
    count = await countOf(context, id);
  }
  return count;
}
