import { randomBytes } from 'node:crypto';
import { WEBHOOK_EVENTS } from '@culprit/contract/alerts/webhook-events';
import { createWebhook, deleteWebhook } from '@culprit/contract/alerts/webhooks';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { listLifecycle } from '@culprit/contract/incidents/lifecycle';
import { CliError, unsupportedError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { isLoopback } from '../../config/address.ts';
import { isObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import {
  changeCredentialFile,
  credentialsOf,
  readCredentialFile,
} from '../../credentials/credential-file.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { forward } from '../../listen/forward.ts';
import { deleteLeftOvers, forgetWebhook, PATH_PREFIX, rememberWebhook } from '../../listen/left-overs.ts';
import { type Delivery, startReceiver } from '../../listen/receiver.ts';
import { confirm } from '../../output/ask.ts';
import { say } from '../../output/print.ts';
import { shownTime } from '../../output/shown-time.ts';
import { visibleJson, visibleLine, visibleText } from '../../output/visible-text.ts';
import { projectId as chooseProject } from '../../references/project-reference.ts';
import { findTarget } from '../../reproduce/target.ts';
import { sleep } from '../../sleep.ts';
import { longApi } from '../tail/follow.ts';
import { STANDARD_EVENTS } from './webhooks.ts';

/** The user agent of deliveries, which applications can check (docs/contract/notifications.md 3.11). */
const DELIVERY_USER_AGENT = 'culprit-webhooks/1';
const PAUSE_MS = 2000;
const WAIT_SECONDS = 25;

export const run: Run = async (context, input) => {
  const { origin } = context.settings();
  const target = input.text('forward-to');
  if (target !== null) await requireTarget(context, target);
  const projectId = await chooseProject(context);
  const events = eventsOf(input);
  const secret = localSecret(context, projectId);
  const session = new Session(context, input, secret, target);
  if (target !== null && !input.has('passthrough')) {
    say(context, 'Your application checks signatures with this secret, which stays the same:');
    context.terminal.outSecret(
      context.globals.json ? `${JSON.stringify({ signing_secret: secret })}\n` : `${secret}\n`,
    );
  }
  const isDirect = input.has('public-url') || isLoopback(origin);
  return isDirect
    ? await listenDirect(session, projectId, events)
    : await listenByPull(session, projectId, events);
};

/** The common part of both ways: it reports deliveries and forwards them. */
class Session {
  readonly context: Context;
  readonly input: Input;
  readonly ended = new AbortController();
  readonly #secret: string;
  readonly #target: string | null;
  #deliveries = 0;

  constructor(context: Context, input: Input, secret: string, target: string | null) {
    this.context = context;
    this.input = input;
    this.#secret = secret;
    this.#target = target;
    context.interrupted.addEventListener('abort', () => this.ended.abort());
  }

  /** Hands a delivery on and prints its line. @returns the status of the application */
  async take(delivery: Delivery): Promise<number> {
    const isPassed = this.input.has('passthrough');
    const outcome =
      this.#target === null ? null : await forward(this.#target, delivery, isPassed ? null : this.#secret);
    this.#print(delivery, outcome);
    this.#deliveries += 1;
    const max = this.input.number('max');
    if (max !== null && this.#deliveries >= max) setImmediate(() => this.ended.abort());
    if (outcome === null || this.input.has('always-ok')) return 200;
    return outcome.status ?? 502;
  }

  #print({ body, headers }: Delivery, outcome: { status: number | null; durationMs: number } | null): void {
    const { terminal, globals } = this.context;
    const facts = factsOf(body);
    const line = {
      at: new Date().toISOString(),
      event: headers['x-service-event'] ?? facts.event,
      incident_id: facts.incidentId,
      delivery_id: headers['x-service-delivery'] ?? null,
      status: outcome?.status ?? null,
      duration_ms: outcome?.durationMs ?? null,
    };
    if (globals.json)
      terminal.out(
        `${visibleJson(this.input.has('print-body') ? { ...line, body: body.toString('utf8') } : line)}\n`,
      );
    else {
      const answer = outcome === null ? '' : `  ${outcome.status ?? 'no answer'} in ${outcome.durationMs} ms`;
      terminal.out(
        visibleLine(
          `${shownTime(line.at, globals.localTime).slice(11, 19)}  ${line.event}  ${line.incident_id ?? '-'}${answer}`,
        ).concat('\n'),
      );
      if (this.input.has('print-body')) terminal.out(`${visibleText(body.toString('utf8'))}\n`);
    }
  }
}

/** A webhook of the server leads here. It is deleted at the end; those of a crash before it are deleted first. */
async function listenDirect(
  session: Session,
  projectId: string,
  events: (typeof STANDARD_EVENTS)[number][],
): Promise<ExitCode> {
  const { context, input } = session;
  const api = await context.api();
  await deleteLeftOvers(context, projectId);
  const path = `${PATH_PREFIX}${randomBytes(16).toString('hex')}`;
  let serverSecret: string | null = null;
  const receiver = await startReceiver({
    port: input.number('port') ?? 0,
    path,
    secret: () => serverSecret,
    onDelivery: (delivery) => session.take(delivery),
    onForged: () => context.terminal.err('A delivery with a wrong signature was refused.\n'),
  });
  const publicUrl = input.text('public-url');
  const url =
    publicUrl === null ? `http://127.0.0.1:${receiver.port}${path}` : `${withoutSlash(publicUrl)}${path}`;
  let webhookId: string | null = null;
  try {
    const made = await api.call(createWebhook, { body: { project_id: projectId, url, events } });
    webhookId = made.webhook.webhook_id;
    serverSecret = made.signing_secret;
    rememberWebhook(context, webhookId);
    say(context, `Listening at ${url}. Ctrl-C ends it.`);
    await untilEnded(session);
  } finally {
    if (webhookId !== null) await deleteOwn(context, webhookId);
    await receiver.stop();
  }
  return EXIT.ok;
}

/** One that could not be deleted is remembered, for the next run. */
async function deleteOwn(context: Context, webhookId: string): Promise<void> {
  const api = await context.api();
  const answer = await api.attempt(deleteWebhook, { params: { id: webhookId } }).catch(() => null);
  if (answer?.ok === true || answer?.status === 404) return forgetWebhook(context, webhookId);
  say(context, `The webhook ${webhookId} could not be deleted: the next run does it.`);
}

/** The server cannot reach this machine, so its feed is asked for what deliveries would carry. */
async function listenByPull(
  session: Session,
  projectId: string,
  events: readonly string[],
): Promise<ExitCode> {
  const { context } = session;
  const api = await longApi(context);
  let after: string | null = null;
  while (!session.ended.signal.aborted) {
    try {
      const query: QueryOf<typeof listLifecycle> = {
        project_id: projectId,
        webhooks: 1,
        ...(after === null ? {} : { after, wait_seconds: WAIT_SECONDS }),
      };
      const answer = await api.attempt(listLifecycle, { query, signal: session.ended.signal });
      if (!answer.ok) {
        if (answer.code !== 'not_found') throw answer.failure;
        throw unsupportedError(
          'This server has no feed, and it cannot reach this machine.',
          'update the server, or give an address that leads here: --public-url URL',
        );
      }
      if (after === null) say(context, 'Following the feed of the server. Ctrl-C ends it.');
      for (const { webhook, lifecycle_id } of answer.body.lifecycle) {
        if (webhook === null || !events.includes(webhook.event)) continue;
        await session.take({
          body: Buffer.from(webhook.body),
          headers: {
            'x-service-event': webhook.event,
            'x-service-delivery': lifecycle_id,
            'x-service-attempt': '1',
            'x-service-timestamp': String(Math.floor(Date.now() / 1000)),
            'content-type': 'application/json',
            'user-agent': DELIVERY_USER_AGENT,
          },
        });
        if (session.ended.signal.aborted) break;
      }
      after = answer.body.next_cursor;
    } catch (error) {
      if (session.ended.signal.aborted) break;
      if (!(error instanceof CliError) || error.exit !== EXIT.unreachable) throw error;
      await sleep(PAUSE_MS, session.ended.signal);
    }
  }
  return EXIT.ok;
}

async function untilEnded({ ended }: Session): Promise<void> {
  if (ended.signal.aborted) return;
  // Something has to keep the process alive; the receiver does.
  await new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()));
}

/** Made once for each project, so that the setting of the application stays valid. */
function localSecret(context: Context, projectId: string): string {
  const { origin } = context.settings();
  const known = readCredentialFile(context.environment, () => {}).origins[origin]?.listen[projectId];
  if (known !== undefined) return known;
  const secret = `svc_whsec_${randomBytes(32).toString('base64url')}`;
  changeCredentialFile(context.environment, (file) => {
    credentialsOf(file, origin).listen[projectId] = secret;
  });
  return secret;
}

/** Deliveries hold data of users: an application on another machine is asked for. */
async function requireTarget(context: Context, target: string): Promise<void> {
  if (!URL.canParse(target)) throw usageError(`"${target}" is not an address.`);
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw usageError(`"${target}" is not an HTTP address.`);
  if ((await findTarget(url)).kind !== 'public') return;
  await confirm(
    context,
    `Forward every delivery to ${url.origin}?`,
    `${url.origin} is not on this machine or network.`,
  );
}

function eventsOf(input: Input): (typeof STANDARD_EVENTS)[number][] {
  const named = input.list('event');
  if (named.length === 0) return STANDARD_EVENTS;
  return named.map((name) => {
    const event = WEBHOOK_EVENTS.find((each) => each === name);
    if (event === undefined) throw usageError(`"${name}" is not one of ${WEBHOOK_EVENTS.join(', ')}.`);
    return event;
  });
}

function factsOf(body: Buffer): { event: string; incidentId: string | null } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const text = (key: string) => (isObject(value) && typeof value[key] === 'string' ? value[key] : null);
    return { event: text('event') ?? '-', incidentId: text('incident_id') };
  } catch {
    return { event: '-', incidentId: null };
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
