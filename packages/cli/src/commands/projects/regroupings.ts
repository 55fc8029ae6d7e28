import {
  applyRegrouping,
  listRegroupings,
  type Regrouping,
  undoRegrouping,
} from '@culprit/contract/incidents/regroupings';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { confirm } from '../../output/ask.ts';
import { printJson, printRecord } from '../../output/print.ts';
import { fieldsOf } from '../../records/fields.ts';
import { listCommand } from '../../records/record-commands.ts';
import { projectId } from '../../references/project-reference.ts';
import { STACK_RULE_FIELDS } from './flags.ts';
import { namedProject } from './projects.ts';

const HOURS_DEFAULT = 24;

export const list = listCommand({
  endpoint: listRegroupings,
  project: 'params.id',
  key: 'regroupings',
  id: 'regrouping_id',
  isWhole: true,
  columns: [
    ['AT', 'created_at'],
    ['MERGED', 'merged_incidents'],
    ['KEYS', 'led_keys'],
    ['SPLIT', 'split_incidents'],
    ['UNDONE', 'undone_at'],
    ['ID', 'regrouping_id', 'wide'],
  ],
  empty: 'No rules have been applied to incidents.',
});

export const apply: Run = async (context, input) => {
  if (fieldsOf(input, STACK_RULE_FIELDS).stack_rules === undefined)
    throw usageError('No rules were given.', "--stack-rule 'GLOB own', or --no-stack-rules");
  const id = await namedProject(context, input);
  const body = { stack_rules: input.list('stack-rule'), hours: input.number('hours') ?? HOURS_DEFAULT };
  if (input.has('dry-run')) {
    printJson(context, { method: 'POST', path: `/v1/projects/${id}/regroupings`, body });
    return EXIT.ok;
  }
  await confirm(
    context,
    `Set these rules and regroup the incidents of the last ${body.hours} h?`,
    'Regrouping needs a confirmation.',
  );
  print(context, await (await context.api()).call(applyRegrouping, { params: { id }, body }));
  return EXIT.ok;
};

export const undo: Run = async (context, input) => {
  const id = await projectId(context);
  const body = { regrouping_id: input.first };
  if (input.has('dry-run')) {
    printJson(context, { method: 'POST', path: `/v1/projects/${id}/regroupings/undo`, body });
    return EXIT.ok;
  }
  print(context, await (await context.api()).call(undoRegrouping, { params: { id }, body }));
  return EXIT.ok;
};

function print(context: Context, body: { regrouping: Regrouping }): void {
  const { regrouping } = body;
  printRecord(context, {
    body,
    key: 'regrouping',
    id: regrouping.regrouping_id,
    rows: [
      ['Regrouping', regrouping.regrouping_id],
      ['Rules before', regrouping.stack_rules_before.join(', ')],
      ['Rules', regrouping.stack_rules.join(', ')],
      ['Merged incidents', String(regrouping.merged_incidents)],
      ['Keys that lead on', String(regrouping.led_keys)],
      ['Split incidents', String(regrouping.split_incidents)],
      ['Whole history', regrouping.is_complete ? 'yes' : 'no, there were more events'],
      ['Undone', regrouping.undone_at],
    ],
  });
}
