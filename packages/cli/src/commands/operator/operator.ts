import {
  getOperatorHealth,
  listDeadLetters,
  type OperatorHealth,
  RETRIED_LETTERS_MAX,
  retryDeadLetters,
} from '@culprit/contract/workspace/operator';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printLines } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';

const LABEL_CHARS = 12;

export const health: Run = async (context) => {
  const found = await (await context.api()).call(getOperatorHealth);
  if (context.globals.json) printJson(context, found);
  else printLines(context, [...figureLines(found), ...findingLines(found)].map(visibleLine));
  return found.findings.some(({ severity }) => severity === 'wrong') ? EXIT.failed : EXIT.ok;
};

function figureLines(found: OperatorHealth): string[] {
  const { settings, canary, fates_24h: fates, disk, backup, objects } = found;
  const late = found.queues.filter(({ due }) => due > 0);
  const row = (label: string, text: string) => `${label.padEnd(LABEL_CHARS)}${text}`;
  return [
    row('Server', `${found.version}, since ${found.started_at}, at ${settings.base_url}`),
    row('Database', `PostgreSQL ${settings.database_version}, ${bytesText(found.database.size_bytes)}`),
    row('Objects', objects.size_bytes === null ? settings.object_store : bytesText(objects.size_bytes)),
    ...(disk === null
      ? []
      : [row('Disk', `${bytesText(disk.free_bytes)} free of ${bytesText(disk.total_bytes)}`)]),
    row(
      'Canary',
      canary === null
        ? 'off, or not sent yet'
        : `incident ${msText(canary.incident_ms)}, webhook ${msText(canary.webhook_ms)}, ${canary.failures_24h} failures in 24 h`,
    ),
    row(
      'Queues',
      late.length === 0
        ? 'nothing is due'
        : late
            .map(({ lane, due, oldest_due_seconds: s }) => `${lane} ${due} due, ${Math.round(s)} s`)
            .join('; '),
    ),
    row(
      'Events 24 h',
      `${fates.submitted} submitted, ${fates.processed} processed, ${fates.dropped} dropped`,
    ),
    row('Dead', `${found.dead_letters} letters`),
    row('Backup', backup === null ? 'none' : `${backup.finished_at}, ${backup.directory}`),
    '',
  ];
}

function findingLines({ findings }: OperatorHealth): string[] {
  if (findings.length === 0) return ['All is well.'];
  return findings.flatMap(({ severity, check, what, since, todo, command }) => [
    `${severity.padEnd(9)}${check}: ${what}${since === null ? '' : `, since ${since}`}`,
    ...(todo === '' ? [] : [`${' '.repeat(9)}-> ${todo}`]),
    ...(command === null ? [] : [`${' '.repeat(9)}   $ ${command}`]),
  ]);
}

function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}

function msText(ms: number | null): string {
  return ms === null ? 'never' : `${ms} ms`;
}

export const listLetters = listCommand({
  endpoint: listDeadLetters,
  project: 'none',
  key: 'dead_letters',
  id: ({ id }) => String(id),
  columns: [
    ['ID', 'id'],
    ['SINCE', 'created_at'],
    ['ATTEMPTS', 'attempts'],
    ['PROJECT', 'project_id'],
    ['OF BATCH', 'batch_events'],
    ['REASON', 'reason', 'wide'],
  ],
  empty: 'There are no dead letters.',
});

export const retryLetters = recordCommand({
  endpoint: retryDeadLetters,
  project: 'none',
  body(_, input) {
    const ids = [...new Set(input.args.map(Number))];
    if (ids.some((id) => !Number.isSafeInteger(id) || id < 1)) {
      throw usageError('A dead letter has a number as its id.', 'culprit operator dead-letters list');
    }
    if (ids.length > RETRIED_LETTERS_MAX) {
      throw usageError(`At most ${RETRIED_LETTERS_MAX} are retried in one call.`);
    }
    return { ids };
  },
  question: (_, input) =>
    `Process ${input.args.length === 1 ? 'this event' : `${input.args.length} events`} again?`,
  done: ({ retried }) =>
    retried === 0
      ? 'No dead letter has such an id, or its batch no longer exists.'
      : `${String(retried)} queued to be processed again.`,
  exit: ({ retried }, input) => {
    if (retried === 0) return EXIT.notFound;
    return Number(retried) < new Set(input.args.map(Number)).size ? EXIT.partial : EXIT.ok;
  },
});
