import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Run } from '../../command.ts';
import { writeWhole } from '../../config/write-file.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { listEventFiles } from '../../local/read-event-files.ts';
import { confirm } from '../../output/ask.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { eventDirectories, localIncident, readLocal, reportSkipped } from './local-files.ts';

export const resolve: Run = async (context, input) => changeStatus(context, input, true);
export const reopen: Run = async (context, input) => changeStatus(context, input, false);

function changeStatus(context: Context, input: Input, isResolved: boolean): ExitCode {
  const read = readLocal(context, input);
  reportSkipped(context, read.skipped);
  const incidents = input.args.map((reference) => localIncident(read, reference));
  const resolved = new Map(read.resolvedAtMs);
  const now = Date.now();
  for (const { incident_id } of incidents) {
    if (isResolved) resolved.set(incident_id, now);
    else resolved.delete(incident_id);
  }
  const [directory] = read.directories;
  if (directory !== undefined) {
    const times = [...resolved].map(([id, timeMs]) => [id, new Date(timeMs).toISOString()]);
    writeWhole(
      join(dirname(directory), 'state.json'),
      `${JSON.stringify({ resolved: Object.fromEntries(times) }, null, 2)}\n`,
    );
  }
  const after = readLocal(context, input).local.incidents;
  const changed = incidents.map(
    (each) => after.find(({ incident_id }) => incident_id === each.incident_id) ?? each,
  );
  if (context.globals.json) printJson(context, { incidents: changed, failed: [] });
  else {
    printLines(
      context,
      changed.map(({ incident_id, title }) =>
        context.globals.quiet
          ? incident_id
          : `${isResolved ? 'Resolved' : 'Reopened'} ${incident_id}  ${visibleLine(title)}`,
      ),
    );
  }
  return EXIT.ok;
}

/** Removes event files, the state of incidents that are gone with them stays until the next resolution. */
export const clear: Run = async (context, input) => {
  const { directories } = eventDirectories(context, input);
  const olderThanMs = input.durationMs('older-than');
  const before = olderThanMs === null ? Number.POSITIVE_INFINITY : Date.now() - olderThanMs;
  const files = directories
    .flatMap((directory) => listEventFiles(directory, []))
    .filter(({ receivedAtMs }) => receivedAtMs < before)
    .map(({ path }) => path);
  if (!input.has('dry-run') && files.length > 0) {
    await confirm(
      context,
      `Remove ${files.length} event files?`,
      `${files.length} files are not removed without a confirmation.`,
    );
    for (const path of files) rmSync(path, { force: true });
  }
  if (context.globals.json) printJson(context, { removed: input.has('dry-run') ? [] : files, files });
  else if (context.globals.quiet)
    printLines(
      context,
      files.map((path) => basename(path)),
    );
  say(
    context,
    input.has('dry-run') ? `${files.length} files would be removed.` : `${files.length} files are removed.`,
  );
  return EXIT.ok;
};
