import { postEvents } from '@culprit/contract/events/events';
import type { Api } from '../api/api.ts';
import type { Failure } from '../api/calls.ts';
import { CliError } from '../cli-error.ts';
import { isObject } from '../config/json-file.ts';
import { EXIT } from '../exit-codes.ts';
import { sleep } from '../sleep.ts';
import { type BatchLine, bodyOf } from './event-batch.ts';
import type { Rejection } from './rejected-file.ts';

/** The outcome of a batch when nothing of it waits. */
export interface BatchOutcome {
  accepted: number;
  rejected: Rejection[];
}

export interface SendOptions {
  api: Api;
  /** Reads what the last answer asked for, in seconds. */
  retryAfterSeconds: () => number | null;
  /** The time for which trouble can last. */
  retryForMs: number;
  signal: AbortSignal;
  say: (text: string) => void;
}

const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 60_000;
const RATE_LIMITED = 'rate_limited';

/**
 * Sends a batch until each event is accepted or rejected: what the server limits is sent again when it says so, what
 * is too large in halves, and trouble is waited out.
 * @returns null when it was interrupted before
 */
export async function sendBatch(
  lines: readonly BatchLine[],
  options: SendOptions,
): Promise<BatchOutcome | null> {
  const outcome: BatchOutcome = { accepted: 0, rejected: [] };
  const waiting: BatchLine[][] = lines.length === 0 ? [] : [[...lines]];
  let trouble = { sinceMs: null as number | null, pauseMs: FIRST_PAUSE_MS };
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    if (options.signal.aborted) return null;
    const answer = await attempt(batch, options);
    if (answer.kind === 'answered') {
      trouble = { sinceMs: null, pauseMs: FIRST_PAUSE_MS };
      const limited = answer.errors.filter(({ reason }) => reason === RATE_LIMITED);
      outcome.accepted += answer.accepted;
      for (const { index, reason } of answer.errors) {
        const line = batch[index];
        if (reason !== RATE_LIMITED && line !== undefined) outcome.rejected.push({ ...line, reason });
      }
      if (limited.length > 0) {
        waiting.unshift(limited.flatMap(({ index }) => batch[index] ?? []));
        await pause(options, (options.retryAfterSeconds() ?? 1) * 1000);
      }
    } else if (answer.kind === 'too large') {
      const [only] = batch;
      if (batch.length === 1 && only !== undefined)
        outcome.rejected.push({ ...only, reason: 'payload_too_large' });
      else
        waiting.unshift(
          batch.slice(0, Math.ceil(batch.length / 2)),
          batch.slice(Math.ceil(batch.length / 2)),
        );
    } else if (answer.kind === 'limited') {
      waiting.unshift(batch);
      await pause(options, answer.seconds * 1000);
    } else {
      trouble.sinceMs ??= performance.now();
      if (performance.now() - trouble.sinceMs + trouble.pauseMs > options.retryForMs) throw answer.failure;
      options.say(`${answer.failure.message} Trying again in ${Math.round(trouble.pauseMs / 1000)} s.`);
      waiting.unshift(batch);
      // Somewhat apart from others that wait for the same server.
      await pause(options, trouble.pauseMs * (0.75 + Math.random() / 2));
      trouble.pauseMs = Math.min(LAST_PAUSE_MS, trouble.pauseMs * 2);
    }
  }
  return outcome;
}

type Attempt =
  | { kind: 'answered'; accepted: number; errors: { index: number; reason: string }[] }
  | { kind: 'too large' }
  | { kind: 'limited'; seconds: number }
  | { kind: 'trouble'; failure: CliError };

async function attempt(batch: readonly BatchLine[], { api }: SendOptions): Promise<Attempt> {
  let answer: { ok: true; body: unknown } | Failure;
  try {
    answer = await api.attemptSend(postEvents, { json: bodyOf(batch) });
  } catch (error) {
    // There is no connection; certificates and names can also recover within minutes.
    if (error instanceof CliError && error.exit === EXIT.unreachable)
      return { kind: 'trouble', failure: error };
    throw error;
  }
  if (answer.ok) {
    const body = isObject(answer.body) ? answer.body : {};
    const errors = Array.isArray(body.errors) ? body.errors.filter(isObject) : [];
    return {
      kind: 'answered',
      accepted: typeof body.accepted === 'number' ? body.accepted : 0,
      errors: errors.flatMap(({ index, reason }) =>
        typeof index === 'number' && typeof reason === 'string' ? [{ index, reason }] : [],
      ),
    };
  }
  if (answer.status === 413) return { kind: 'too large' };
  if (answer.code === RATE_LIMITED) return { kind: 'limited', seconds: answer.retryAfterSeconds ?? 1 };
  if (answer.status >= 500) return { kind: 'trouble', failure: answer.failure };
  throw answer.failure;
}

async function pause({ signal }: SendOptions, ms: number): Promise<void> {
  await sleep(ms, signal);
}
