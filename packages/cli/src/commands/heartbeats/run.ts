import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpAnswer, sendHttp } from '../../api/http-send.ts';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { type Context, warn } from '../../context.ts';
import { VERSION } from '../../version.ts';

/** The length of a run's output that the server stores. */
const OUTPUT_CHARS = 2_000;
/** The waits between the attempts of a report. */
const PAUSES_MS = [500, 1_000] as const;
/** A server that is away holds up the end of a job for no longer; its begin is never held up. */
const BEGIN_WAIT_MS = 1_000;
const END_WAIT_MS = 2_000;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command and reports its begin, its end, its exit code and the end of its output to a heartbeat. The exit code is
 * that of the command, whatever becomes of the reports.
 */
export const run: Run = async (context, input) => {
  const address = addressOf(context, input.text('address') ?? context.environment.CULPRIT_HEARTBEAT_URL);
  const [command = '', ...args] = input.args;
  const checkIn = `check_in_id=${randomUUID()}`;
  const base = `${address.origin}${address.pathname.replace(/\/$/, '')}`;
  const [begin, end] = [new AbortController(), new AbortController()];
  const report = (path: string, query: string, { signal }: AbortController, body = '') =>
    send(context, `${base}${path}?${query}`, body, signal);
  // The command decides what a signal means, and how long it takes to end.
  for (const signal of FORWARDED) process.removeAllListeners(signal);
  const startedAt = performance.now();
  const begun = report('/start', checkIn, begin);
  const ended = await exitOf(spawnCommand(command, args));
  if (ended.fault !== null) context.terminal.err(`culprit: ${command}: ${ended.fault}\n`);
  const durationMs = Math.round(performance.now() - startedAt);
  const timers = [setTimeout(() => begin.abort(), BEGIN_WAIT_MS), setTimeout(() => end.abort(), END_WAIT_MS)];
  // In this order: an end closes the run that has begun.
  await begun;
  await report(`/${ended.code}`, `${checkIn}&duration_ms=${durationMs}`, end, ended.output);
  for (const timer of timers) clearTimeout(timer);
  return ended.code;
};

function addressOf({ environment }: Context, text: string | undefined): URL {
  const isNamed =
    text !== undefined && URL.canParse(text) && /^https?:\/\/.*\/v1\/heartbeats\/hb_/.test(text);
  if (isNamed) return new URL(text);
  throw usageError(
    text === undefined && environment.CULPRIT_HEARTBEAT_URL === undefined
      ? 'Which heartbeat?'
      : 'This is not the address of a heartbeat.',
    "copy it from the heartbeat's page to --address or CULPRIT_HEARTBEAT_URL",
  );
}

function spawnCommand(command: string, args: readonly string[]): ChildProcess {
  return spawn(command, args, { stdio: ['inherit', 'pipe', 'pipe'] });
}

interface Ended {
  code: number;
  output: string;
  /** Why the command did not start. */
  fault: string | null;
}

/** Hands on output and signals until the command has ended. */
async function exitOf(child: ChildProcess): Promise<Ended> {
  let output = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARS);
    });
    from?.pipe(to, { end: false });
  }
  const forward = FORWARDED.map((signal) => [signal, () => void child.kill(signal)] as const);
  for (const [signal, listener] of forward) process.on(signal, listener);
  try {
    return await new Promise<Ended>((resolve) => {
      child.once('error', ({ message, code }: NodeJS.ErrnoException) => {
        const isMissing = code === 'ENOENT';
        const fault = isMissing ? 'command not found' : message;
        resolve({ code: isMissing ? NOT_FOUND : NOT_EXECUTABLE, output: fault, fault });
      });
      child.once('close', (code, signal) => {
        resolve({ code: code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0), output, fault: null });
      });
    });
  } finally {
    for (const [signal, listener] of forward) process.off(signal, listener);
  }
}

/**
 * Sends a report, a few times where the server cannot be reached. A job never fails because of it.
 * @param signal ends the attempts
 */
async function send(context: Context, url: string, body: string, signal: AbortSignal): Promise<void> {
  let fault = '';
  for (const pauseMs of [0, ...PAUSES_MS]) {
    try {
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal });
      const answer: HttpAnswer = await sendHttp(url, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'user-agent': `culprit-cli/${VERSION}` },
        body,
        timeoutMs: context.globals.timeoutMs,
        answerBytesMax: 65_536,
        signal,
      });
      if (answer.status < 300) return;
      fault = `the server answered ${answer.status}`;
      if (answer.status < 500) break;
    } catch (error) {
      if (signal.aborted) {
        if (fault === '') fault = 'no answer in time';
        break;
      }
      fault = error instanceof Error ? error.message : String(error);
    }
  }
  warn(context, `culprit: the heartbeat was not reported: ${fault}`);
}
