import {
  createAvailabilityCheck,
  deleteAvailabilityCheck,
  getAvailabilityCheck,
  listAvailabilityChecks,
  listAvailabilityResults,
  testAvailabilityTarget,
  updateAvailabilityCheck,
} from '@culprit/contract/monitor/availability-checks';
import { getCheckLatency, listCheckDays, listDailyRollups } from '@culprit/contract/monitor/check-history';
import type { Run } from '../../command.ts';
import { isObject } from '../../config/json-file.ts';
import { ageText } from '../../duration.ts';
import { EXIT } from '../../exit-codes.ts';
import { gather } from '../../lists/gather.ts';
import { printJson, printLines, printList, printRecord, say } from '../../output/print.ts';
import { fieldsOf } from '../../records/fields.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { projectId } from '../../references/project-reference.ts';
import { CHECK_FIELDS, TARGET_FIELDS } from './flags.ts';

const RECORD = { project: 'params.id', key: 'check', id: 'check_id' } as const;

export const list = listCommand({
  endpoint: listAvailabilityChecks,
  project: 'params.id',
  key: 'availability_checks',
  id: 'check_id',
  columns: [
    ['STATUS', 'status'],
    ['NAME', 'name'],
    ['TARGET', 'url', 'wide'],
    ['EVERY', ({ interval_seconds }) => `${interval_seconds} s`],
    ['ID', 'check_id'],
  ],
  empty: 'No checks.',
});

export const show = recordCommand({ ...RECORD, endpoint: getAvailabilityCheck, argument: 'checkId' });

const INTERVAL_SECONDS_DEFAULT = 300;
export const create = recordCommand({
  ...RECORD,
  endpoint: createAvailabilityCheck,
  flags: CHECK_FIELDS,
  body: (_, input) => {
    for (const name of ['name', 'target']) input.required(name);
    return input.has('interval') ? {} : { interval_seconds: INTERVAL_SECONDS_DEFAULT };
  },
});

export const update = recordCommand({
  ...RECORD,
  endpoint: updateAvailabilityCheck,
  argument: 'checkId',
  flags: CHECK_FIELDS,
  needsChange: true,
});

export const remove = recordCommand({
  endpoint: deleteAvailabilityCheck,
  project: 'params.id',
  argument: 'checkId',
  question: (_, input) =>
    `Delete the check ${input.first} with its results? The URL will no longer be requested.`,
  done: () => 'The check is deleted.',
});

const OUTCOME: Readonly<Record<string, string>> = {
  success: 'It responds as expected',
  http_status_mismatch: 'It responds with another status',
  timeout: 'It does not respond in time',
  dns_error: 'Its host name is not known',
  tls_error: 'Its certificate is not accepted',
  connection_error: 'It cannot be reached, or its answer is not valid',
  redirect_blocked: 'It redirects to an address that is not requested',
  security_blocked: 'The server does not send requests to that address',
  internal_error: 'The server failed',
};

export const test: Run = async (context, input) => {
  const api = await context.api();
  const answer = await api.send(testAvailabilityTarget, {
    params: { id: await projectId(context) },
    body: { url: input.first, ...fieldsOf(input, TARGET_FIELDS) },
  });
  const result = isObject(answer.result) ? answer.result : {};
  const status = String(result.status);
  printRecord(context, { body: answer, rows: rowsOf(result), id: status });
  if (!context.globals.json) say(context, `${OUTCOME[status] ?? status}.`);
  return status === 'success' ? EXIT.ok : EXIT.negative;
};

export const results = listCommand({
  endpoint: listAvailabilityResults,
  project: 'params.id',
  argument: 'checkId',
  key: 'results',
  id: 'result_id',
  columns: [
    ['STATUS', 'status', 'wide'],
    ['ANSWER', 'http_status'],
    ['TIME', ({ duration_ms }) => `${duration_ms} ms`],
    ['AGE', ({ started_at }) => ageText(String(started_at), Date.now())],
    ['ID', 'result_id'],
  ],
  empty: 'No results yet.',
});

/** One character a day; the words below say what each means, so that nothing depends on colour. */
const DAY_MARK: Readonly<Record<string, string>> = {
  operational: '.',
  degraded: 'd',
  down: 'X',
  paused: '-',
  unknown: '?',
};

export const days: Run = async (context, input) => {
  const api = await context.api();
  const id = await projectId(context);
  if (input.args.length === 0) {
    const body = await api.call(listCheckDays, { params: { id } });
    printList(context, {
      items: body.checks,
      key: 'checks',
      body,
      columns: [
        {
          title: 'UP',
          cell: ({ uptime }) => (uptime === null ? null : `${(uptime * 100).toFixed(2)} %`),
          isNumber: true,
        },
        {
          title: 'DAYS',
          cell: (each) => each.days.map(({ state }) => DAY_MARK[state] ?? '?').join(''),
          isFlexible: true,
        },
        { title: 'ID', cell: ({ check_id }) => check_id },
      ],
      id: ({ check_id }) => check_id,
      empty: 'No checks.',
    });
    return EXIT.ok;
  }
  const { items, body, exit } = await gather(
    context,
    input,
    async (query) => {
      const page = await api.call(listDailyRollups, { params: { id, checkId: input.first }, query });
      return { items: page.daily_rollups, nextCursor: page.next_cursor, body: page };
    },
    ({ day }) => day,
  );
  if (context.globals.json) {
    printJson(context, { ...body, daily_rollups: items });
    return exit;
  }
  const oldestFirst = items.toSorted((a, b) => (a.day < b.day ? -1 : 1));
  printLines(context, [oldestFirst.map(({ state }) => DAY_MARK[state] ?? '?').join('')]);
  const [first] = oldestFirst;
  if (first !== undefined) {
    say(
      context,
      `from ${first.day}; ${Object.entries(DAY_MARK)
        .map(([state, mark]) => `${mark} ${state}`)
        .join(', ')}`,
    );
  }
  return exit;
};

export const latency: Run = async (context, input) => {
  const api = await context.api();
  const from = input.time('from');
  const to = input.time('to');
  const body = await api.call(getCheckLatency, {
    params: { id: await projectId(context), checkId: input.first },
    query: { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) },
  });
  printList(context, {
    items: body.series,
    key: 'series',
    body,
    columns: [
      { title: 'TIME', cell: ({ at }) => at },
      { title: 'RUNS', cell: ({ runs }) => runs, isNumber: true },
      { title: 'FAILED', cell: ({ failed }) => failed, isNumber: true },
      { title: 'MEDIAN MS', cell: ({ p50_ms }) => p50_ms, isNumber: true },
      { title: '95 % MS', cell: ({ p95_ms }) => p95_ms, isNumber: true },
    ],
    id: ({ at }) => at,
    empty: 'No results in this time.',
  });
  return EXIT.ok;
};
