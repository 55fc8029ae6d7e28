import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { isObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { eventsApi } from '../../credentials/events-api.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import {
  type EventLine,
  type EventSource,
  listedEvents,
  readEventFile,
  readEventLines,
} from '../../import/event-lines.ts';
import { importEvents } from '../../import/import-events.ts';
import {
  type ImportState,
  readImportState,
  removeImportState,
  startOfImport,
  writeImportState,
} from '../../import/import-state.ts';
import { startProgress } from '../../import/progress.ts';
import { fillFrom } from '../../import/read-lines.ts';
import { RejectedFile } from '../../import/rejected-file.ts';
import type { Input } from '../../input.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { dryRun } from './dry-run.ts';
import { eventOfFlags } from './event-of-flags.ts';
import { sentryEvents } from './sentry-events.ts';
import { waitForIncident } from './wait-for-incident.ts';

const RETRY_FOR_MS = 600_000;
/** The server knows an event that was sent before for a week; a day is left for the clock. */
const STATE_AGE_MAX_MS = 6 * 86_400_000;
/** A list has to be held as a whole; lines have not. */
const LIST_BYTES_MAX = 32 * 1_048_576;

export const run: Run = async (context, input) => {
  const files = input.args;
  if (files.length === 0 && !input.has('type')) {
    throw usageError('What should be sent?', 'culprit send FILE, or --type TYPE with --error and --message');
  }
  if (files.length > 0 && input.has('type')) throw usageError('Event flags and files cannot be combined.');
  if (input.has('wait') && files.length > 0) throw usageError('--wait works only with event flags.');
  if (input.has('dry-run')) return await dryRun(context, input);
  const totals: Totals = {
    submitted: 0,
    accepted: 0,
    rejected: 0,
    duplicates: false,
    reasons: {},
    file: null,
    from: 0,
  };
  if (files.length === 0) {
    const event = await eventOfFlags(context, input);
    await sendSource(context, input, { origin: context.settings().origin, path: '--type' }, [event], totals);
    const exit = report(context, totals);
    if (!input.has('wait') || exit !== EXIT.ok) return exit;
    return await waitForIncident(context, event);
  }
  for (const file of files) {
    const source = {
      origin: context.settings().origin,
      path: file === '-' ? '-' : resolve(context.directory, file),
    };
    await sendSource(context, input, source, await sentryEvents(context, input, source.path), totals);
    if (context.interrupted.aborted) break;
  }
  return report(context, totals);
};

interface Totals {
  submitted: number;
  accepted: number;
  rejected: number;
  duplicates: boolean;
  reasons: Record<string, number>;
  file: string | null;
  /** Line behind which it went on. */
  from: number;
}

async function sendSource(
  context: Context,
  input: Input,
  source: EventSource,
  events: readonly unknown[] | null,
  totals: Totals,
): Promise<void> {
  const isFile = events === null && source.path !== '-';
  const list = events ?? (isFile ? listInFile(source.path) : null);
  const state = isFile ? stateOf(context, input, source) : startOfImport(Date.now());
  const rejected = new RejectedFile(
    isFile ? `${source.path}.rejected.ndjson` : resolve(context.directory, 'culprit-send.rejected.ndjson'),
  );
  if (isFile) rejected.begin(state);
  totals.from = Math.max(totals.from, state.line);
  totals.duplicates ||= state.line > 0 || state.done.length > 0;
  const { api, retryAfterSeconds } = await eventsApi(context);
  const progress = startProgress(context, isFile && list === null ? statSync(source.path).size : null, state);
  let isWhole = false;
  try {
    isWhole = await importEvents({
      lines: list === null ? linesOf(source, state) : listedEvents(source, list),
      state,
      rejected,
      send: {
        api,
        retryAfterSeconds,
        retryForMs: input.durationMs('retry-for') ?? RETRY_FOR_MS,
        signal: context.interrupted,
        say: (text) => progress.say(text),
      },
      onFault(line) {
        if (input.has('strict'))
          throw usageError(`Line ${line.line}: ${line.fault}.`, 'without --strict it is skipped');
      },
      onConfirmed(confirmed) {
        if (isFile) writeImportState(context.environment, source, confirmed);
        progress.update(confirmed);
      },
    });
  } finally {
    progress.end();
    totals.accepted += state.accepted;
    totals.rejected += state.rejected;
    totals.submitted += state.accepted + state.rejected;
    for (const [reason, count] of Object.entries(state.reasons)) {
      totals.reasons[reason] = (totals.reasons[reason] ?? 0) + count;
    }
    if (state.rejected > 0 && rejected.exists) totals.file = rejected.path;
    if (!isWhole && isFile) {
      say(
        context,
        `${visibleLine(source.path)}: ${state.line} lines are done; the same command continues after them.`,
      );
    }
  }
  if (isWhole && isFile) removeImportState(context.environment, source);
}

function linesOf(source: EventSource, state: ImportState): AsyncGenerator<EventLine> {
  const { offset, line } = state;
  return source.path === '-'
    ? readEventLines(source, fillFrom(process.stdin), { offset, line })
    : readEventFile(source, { offset, line });
}

/** The events of a file that holds one, a list or a batch; null for a file of lines. */
function listInFile(path: string): unknown[] | null {
  const { size } = fileStatus(path);
  if (!path.endsWith('.json')) return null;
  if (size > LIST_BYTES_MAX) {
    throw usageError(
      `${visibleLine(path)} is a list of more than 32 MiB.`,
      'use one event per line (.ndjson)',
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8').trim());
  } catch {
    throw usageError(
      `${visibleLine(path)} is not JSON.`,
      'use the extension .ndjson for files with one event per line',
    );
  }
  if (Array.isArray(value)) return value;
  if (isObject(value) && Array.isArray(value.events)) return value.events;
  return [value];
}

function fileStatus(path: string) {
  try {
    return statSync(path);
  } catch {
    throw usageError(`${visibleLine(path)} does not exist or cannot be read.`);
  }
}

/** Returns the state in which an earlier run of the same command ended. */
function stateOf(context: Context, input: Input, source: EventSource): ImportState {
  const nowMs = Date.now();
  const state = input.has('restart') ? null : readImportState(context.environment, source);
  if (state === null) return startOfImport(nowMs);
  if (nowMs - state.startedAtMs > STATE_AGE_MAX_MS && !input.has('accept-duplicates')) {
    throw usageError(
      'The import began more than six days ago, so the server may count events twice.',
      'restart with --restart, or continue with --accept-duplicates',
    );
  }
  say(context, `Continuing after line ${state.line} of ${visibleLine(source.path)}.`);
  return state;
}

function report(context: Context, totals: Totals): ExitCode {
  const { submitted, accepted, rejected, duplicates, reasons, file, from } = totals;
  if (context.globals.json) {
    printJson(context, {
      submitted,
      accepted,
      rejected,
      duplicates_possible: duplicates,
      reasons,
      rejected_file: file,
      resumed_from_line: from,
    });
  } else if (!context.globals.quiet) {
    printLines(context, [`${accepted} of ${submitted} events accepted.`]);
    for (const [reason, count] of Object.entries(reasons)) {
      context.terminal.err(`${count} rejected: ${visibleLine(reason)}${hintOf(reason)}\n`);
    }
    if (file !== null) say(context, `The rejected ones are in ${visibleLine(file)}.`);
  }
  if (context.interrupted.aborted) return EXIT.interrupted;
  if (rejected === 0) return EXIT.ok;
  if (accepted === 0 && submitted === 1) {
    throw new CliError('The event was rejected.', { exit: EXIT.partial, code: 'event_rejected', hint: null });
  }
  return EXIT.partial;
}

function hintOf(reason: string): string {
  if (reason === 'capture_policy_rejected') return ' → culprit capture policy show';
  return reason.startsWith('capture_rule_') ? ' → culprit capture rules list' : '';
}
