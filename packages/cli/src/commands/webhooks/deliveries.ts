import {
  getWebhookDelivery,
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
} from '@culprit/contract/alerts/webhooks';
import { CliError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { ageText } from '../../duration.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printLines, printRecord, say } from '../../output/print.ts';
import { listCommand } from '../../records/record-commands.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { sleep } from '../../sleep.ts';

const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 250;
const FINAL = new Set(['delivered', 'failed', 'disabled']);
const RETRIED_MAX = 10_000;

export const list = listCommand({
  endpoint: listWebhookDeliveries,
  project: 'none',
  argument: 'id',
  key: 'deliveries',
  id: 'delivery_id',
  columns: [
    ['STATUS', 'status'],
    ['EVENT', 'event_type', 'wide'],
    ['ATTEMPTS', 'attempt_count'],
    ['ANSWER', ({ last_response_code, last_error }) => last_response_code ?? last_error],
    ['AGE', ({ created_at }) => ageText(String(created_at), Date.now())],
    ['ID', 'delivery_id'],
  ],
  empty: 'No deliveries in the last 30 days.',
  keep: (delivery, input) => !input.has('status') || delivery.status === input.text('status'),
});

/** One delivery as it was sent, with what came back. */
export const show: Run = async (context, input) => {
  const [id = '', did = ''] = input.args;
  const detail = await (await context.api()).call(getWebhookDelivery, { params: { id, did } });
  const { delivery, body, headers, attempts } = detail;
  printRecord(context, {
    body: detail,
    id: delivery.delivery_id,
    rows: [
      ...rowsOf({ ...delivery }),
      ...Object.entries(headers).map(([name, value]): [string, string] => ['Header', `${name}: ${value}`]),
      ['Body', body],
      ...attempts.map((attempt): [string, string] => [
        'Attempt',
        rowsOf({ ...attempt })
          .map(([label, value]) => `${label} ${value}`)
          .join(' · '),
      ]),
    ],
  });
  return EXIT.ok;
};

interface Delivery {
  delivery_id: string;
  status: string;
  created_at: string;
  last_error: string | null;
}

export const test: Run = async (context, input) => {
  const api = await context.api();
  const id = input.first;
  const body = input.has('failed') ? { event: 'verification.failed' as const } : {};
  const answer = await api.call(testWebhook, { params: { id }, body });
  let { delivery } = answer;
  const deadline = performance.now() + WAIT_MS;
  while (
    input.has('wait') &&
    !FINAL.has(delivery.status) &&
    performance.now() < deadline &&
    !context.interrupted.aborted
  ) {
    await sleep(LOOK_EVERY_MS, context.interrupted);
    const page = await api.call(listWebhookDeliveries, { params: { id }, query: { limit: 20 } });
    delivery = page.deliveries.find(({ delivery_id }) => delivery_id === delivery.delivery_id) ?? delivery;
  }
  printRecord(context, {
    body: { delivery },
    key: 'delivery',
    rows: rowsOf({ ...delivery }),
    id: delivery.delivery_id,
  });
  if (!input.has('wait') || delivery.status === 'delivered') return EXIT.ok;
  throw new CliError(
    `The test delivery is ${delivery.status}${delivery.last_error === null ? '' : `: ${delivery.last_error}`}.`,
    {
      exit: EXIT.negative,
      code: `delivery_${delivery.status}`,
      hint: `culprit webhooks deliveries ${id}`,
    },
  );
};

export const retry: Run = async (context, input) => {
  const api = await context.api();
  const [id = '', ...named] = input.args;
  if (named.length === 0 && !input.has('failed'))
    throw usageError('Which deliveries?', 'name them, or all failed ones: --failed');
  const wanted = input.has('failed') ? await failedDeliveries(context, id, input.time('since')) : named;
  const done: string[] = [];
  const failed: { delivery_id: string; code: string }[] = [];
  for (const did of wanted) {
    const answer = await api.attempt(retryWebhookDelivery, { params: { id, did } });
    if (answer.ok) done.push(did);
    else failed.push({ delivery_id: did, code: answer.code });
  }
  if (context.globals.json) printJson(context, { retried: done, failed });
  else printLines(context, done);
  if (!context.globals.json)
    for (const each of failed) context.terminal.err(`culprit: ${each.delivery_id}: ${each.code}\n`);
  say(context, `${done.length} deliveries are sent again.`);
  if (failed.length === 0) return EXIT.ok;
  return done.length === 0 ? EXIT.failed : EXIT.partial;
};

async function failedDeliveries(context: Context, id: string, since: string | null): Promise<string[]> {
  const api = await context.api();
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { deliveries: Delivery[]; next_cursor: string | null } = await api.call(
      listWebhookDeliveries,
      {
        params: { id },
        query: { limit: 100, ...(cursor === null ? {} : { cursor }) },
      },
    );
    for (const each of page.deliveries) {
      if (each.status === 'failed' && (since === null || each.created_at >= since))
        found.push(each.delivery_id);
    }
    cursor = page.next_cursor;
  } while (cursor !== null && found.length < RETRIED_MAX);
  return found;
}
