import { readFileSync, rmSync } from 'node:fs';
import type { Run } from '../../command.ts';
import { eventsApi } from '../../credentials/events-api.ts';
import { EXIT } from '../../exit-codes.ts';
import { listedEvents, readEventFile } from '../../import/event-lines.ts';
import { importEvents } from '../../import/import-events.ts';
import { startOfImport } from '../../import/import-state.ts';
import { RejectedFile } from '../../import/rejected-file.ts';
import type { Skipped } from '../../local/event-directories.ts';
import { type Candidate, listEventFiles } from '../../local/read-event-files.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { eventDirectories, reportSkipped } from './local-files.ts';

const RETRY_FOR_MS = 600_000;

/**
 * Sends the files in the order of their time, ids unchanged, so that the server counts an event once however often it
 * is pushed. A file goes when all of it was accepted.
 */
export const run: Run = async (context, input) => {
  const skipped: Skipped[] = [];
  const { directories } = eventDirectories(context, input);
  const files = directories
    .flatMap((directory) => listEventFiles(directory, skipped))
    .filter(({ name }) => !name.endsWith('.rejected.ndjson'))
    .sort((a, b) => a.receivedAtMs - b.receivedAtMs || (a.name < b.name ? -1 : 1));
  if (input.has('dry-run')) {
    printLines(
      context,
      files.map(({ path }) => path),
    );
    say(context, `${files.length} files would be sent.`);
    return EXIT.ok;
  }
  const totals = {
    submitted: 0,
    accepted: 0,
    rejected: 0,
    reasons: new Map<string, number>(),
    kept: [] as string[],
  };
  if (files.length > 0) {
    const { api, retryAfterSeconds } = await eventsApi(context);
    for (const file of files) {
      const state = startOfImport(Date.now());
      const rejected = new RejectedFile(`${file.path}.rejected.ndjson`);
      rejected.begin(state);
      const isWhole = await importEvents({
        lines: linesOf(file, api.origin),
        state,
        rejected,
        send: {
          api,
          retryAfterSeconds,
          retryForMs: input.durationMs('retry-for') ?? RETRY_FOR_MS,
          signal: context.interrupted,
          say: (text) => say(context, text),
        },
        onFault: () => {},
        onConfirmed: () => {},
      });
      totals.submitted += state.accepted + state.rejected;
      totals.accepted += state.accepted;
      totals.rejected += state.rejected;
      for (const [reason, count] of Object.entries(state.reasons)) {
        totals.reasons.set(reason, (totals.reasons.get(reason) ?? 0) + count);
      }
      if (!isWhole) break;
      if (state.rejected > 0) totals.kept.push(file.path);
      else if (!input.has('keep')) rmSync(file.path, { force: true });
    }
  }
  const { submitted, accepted, rejected, reasons, kept } = totals;
  if (context.globals.json) {
    printJson(context, {
      submitted,
      accepted,
      rejected,
      duplicates_possible: true,
      reasons: Object.fromEntries(reasons),
      rejected_file: kept[0] === undefined ? null : `${kept[0]}.rejected.ndjson`,
      resumed_from_line: 0,
    });
  } else if (!context.globals.quiet) {
    printLines(context, [`${accepted} of ${submitted} events of ${files.length} files accepted.`]);
    for (const [reason, count] of reasons)
      context.terminal.err(`${count} rejected: ${visibleLine(reason)}\n`);
    for (const path of kept)
      say(context, `${visibleLine(path)} stays, next to a file with its rejected events.`);
    reportSkipped(context, skipped);
  }
  return rejected === 0 ? EXIT.ok : EXIT.partial;
};

function linesOf(file: Candidate, origin: string) {
  const source = { origin, path: file.path };
  if (file.format === 'lines') return readEventFile(source, { offset: 0, line: 0 });
  let value: unknown = null;
  try {
    value = JSON.parse(readFileSync(file.path, 'utf8'));
  } catch {
    // One line that is no event, so that the file stays and is named.
  }
  return listedEvents(source, Array.isArray(value) ? value : [value]);
}
