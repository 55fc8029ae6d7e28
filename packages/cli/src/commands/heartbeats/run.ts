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
const TRIES = 3;
const PAUSE_MS = 1_000;
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
  const report = (path: string, query: string, body = '') =>
    send(context, `${address.origin}${address.pathname.replace(/\/$/, '')}${path}?${query}`, body);
  // The command decides what a signal means, and how long it takes to end.
  for (const signal of FORWARDED) process.removeAllListeners(signal);
  const startedAt = performance.now();
  const begun = report('/start', checkIn);
  const ended = await exitOf(spawnCommand(command, args));
  if (ended.fault !== null) context.terminal.err(`culprit: ${command}: ${ended.fault}\n`);
  const durationMs = Math.round(performance.now() - startedAt);
  // In this order: an end closes the run that has begun.
  await begun;
  await report(`/${ended.code}`, `${checkIn}&duration_ms=${durationMs}`, ended.output);
  return ended.code;
};

function addressOf({ environment }: Context, text: string | undefined): URL {
  const isNamed =
    text !== undefined && URL.canParse(text) && /^https?:\/\/.*\/v1\/heartbeats\/hb_/.test(text);
  if (isNamed) return new URL(text);
  throw usageError(
    text === undefined && environment.CULPRIT_HEARTBEAT_URL === undefined
      ? 'No heartbeat was named.'
      : 'This is not the address of a heartbeat.',
    'copy it from the page of the heartbeat, into --address or CULPRIT_HEARTBEAT_URL',
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

/** Sends a report, a few times where the server cannot be reached. A job never fails because of it. */
async function send(context: Context, url: string, body: string): Promise<void> {
  let fault = '';
  for (let sent = 1; sent <= TRIES; sent += 1) {
    if (sent > 1) await delay(PAUSE_MS * (sent - 1));
    try {
      const answer: HttpAnswer = await sendHttp(url, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'user-agent': `culprit-cli/${VERSION}` },
        body,
        timeoutMs: context.globals.timeoutMs,
        answerBytesMax: 65_536,
      });
      if (answer.status < 300) return;
      fault = `the server answered ${answer.status}`;
      if (answer.status < 500) break;
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
  }
  warn(context, `culprit: the heartbeat was not reported: ${fault}`);
}
