import {
  ADDITIONAL_UNITS_MAX,
  cancelReduction,
  getBilling,
  increaseCapacity,
  scheduleReduction,
  startTrial,
} from '@culprit/contract/workspace/billing';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { JsonObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { printJson, printLines } from '../../output/print.ts';
import { recordCommand } from '../../records/record-commands.ts';
import { rowsOf } from '../../records/record-rows.ts';

const BAR_CHARS = 20;
const PLAN_DEFAULT = 'team';
/** The value that the server sends while plan limits are off. */
const NO_LIMIT = 2_147_483_647;

export const show: Run = async (context) => {
  const body = await (await context.api()).call(getBilling);
  if (context.globals.json) {
    printJson(context, body);
    return EXIT.ok;
  }
  const { allowances, ...plan } = body.billing;
  const rows = rowsOf({ ...plan });
  const width =
    Math.max(...rows.map(([label]) => label.length), ...Object.keys(allowances).map((key) => key.length)) + 2;
  printLines(
    context,
    rows.map(([label, value]) => `${label.padEnd(width)}${value}`),
  );
  printLines(
    context,
    Object.entries(allowances).map(
      ([key, meter]) => `${key.replaceAll('_', ' ').padEnd(width)}${meterText(meter)}`,
    ),
  );
  return EXIT.ok;
};

/** A bar with its numbers; the bar alone says nothing. */
function meterText({ used, limit }: { used: number; limit: number }): string {
  if (limit >= NO_LIMIT) return `${used}, no limit`;
  const filled = limit === 0 ? BAR_CHARS : Math.min(BAR_CHARS, Math.round((used / limit) * BAR_CHARS));
  return `[${'#'.repeat(filled).padEnd(BAR_CHARS, '.')}] ${used} of ${limit}`;
}

export const trial = recordCommand({
  endpoint: startTrial,
  project: 'none',
  key: 'billing',
  body: (_, input): JsonObject => (input.has('plan') ? { target_plan: input.text('plan') } : {}),
  hasBody: true,
  question: (_, input) =>
    `Start the trial of the plan ${input.text('plan') ?? PLAN_DEFAULT}? It lasts 30 days and can be started once.`,
});

const unitsOf = (_: Context, input: Input): JsonObject => {
  const units = Number(input.first);
  if (!Number.isInteger(units) || units < 0 || units > ADDITIONAL_UNITS_MAX)
    throw usageError(`Units are 0 to ${ADDITIONAL_UNITS_MAX}.`);
  return { target_additional_capacity_units: units };
};

/** Returns the present and the future units of a month; only the payment provider knows their cost. */
async function unitsInWords(context: Context, input: Input): Promise<string> {
  const { billing } = await (await context.api()).call(getBilling);
  const { included, total } = billing.capacity_units;
  const additional = Number(input.first);
  return `Units of a month: ${total} now, ${included + additional} (${included} of the plan and ${additional} additional)`;
}

export const increase = recordCommand({
  endpoint: increaseCapacity,
  project: 'none',
  key: 'billing',
  body: unitsOf,
  question: async (context, input) => `${await unitsInWords(context, input)} from now on. Pay for them?`,
});

export const reduce = recordCommand({
  endpoint: scheduleReduction,
  project: 'none',
  key: 'billing',
  body: unitsOf,
  question: async (context, input) => `${await unitsInWords(context, input)} from next month. Continue?`,
});

export const keep = recordCommand({ endpoint: cancelReduction, project: 'none', key: 'billing' });
