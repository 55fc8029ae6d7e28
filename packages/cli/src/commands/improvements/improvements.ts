import {
  getImprovement,
  getImprovementBundle,
  getImprovementSettings,
  listImprovements,
  reopenImprovement,
  resolveImprovement,
  snoozeImprovement,
  updateImprovementSettings,
} from '@culprit/contract/incidents/improvements';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { parseDurationMs } from '../../duration.ts';
import { EXIT } from '../../exit-codes.ts';
import { printRecord } from '../../output/print.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { IMPROVEMENT_FILTERS, SETTING_FIELDS } from './flags.ts';

const RECORD = { project: 'none', argument: 'id', key: 'improvement', id: 'improvement_id' } as const;

export const list = listCommand({
  endpoint: listImprovements,
  project: 'optional query',
  key: 'improvements',
  id: 'improvement_id',
  flags: IMPROVEMENT_FILTERS,
  columns: [
    ['SEVERITY', 'severity'],
    ['STATUS', 'status'],
    ['KIND', 'kind'],
    ['COUNT', 'occurrence_count'],
    ['SERVICE', 'service_name'],
    ['TITLE', 'title', 'wide'],
    ['ID', 'improvement_id'],
  ],
  empty: 'No improvements.',
});

export const show = recordCommand({ ...RECORD, endpoint: getImprovement });
export const resolve = recordCommand({ ...RECORD, endpoint: resolveImprovement });
export const reopen = recordCommand({ ...RECORD, endpoint: reopenImprovement });

export const snooze = recordCommand({
  ...RECORD,
  endpoint: snoozeImprovement,
  body(_, input) {
    const ms = parseDurationMs(input.args[1] ?? '');
    if (ms === null) throw usageError('For how long?', 'a duration such as 7d');
    return { snoozed_until: new Date(Date.now() + ms).toISOString() };
  },
});

export const bundle: Run = async (context, input) => {
  const api = await context.api();
  const { improvement } = await api.call(getImprovement, { params: { id: input.first } });
  const body = await api.call(getImprovementBundle, {
    params: { id: improvement.project_id, improvementId: improvement.improvement_id },
  });
  const summary = 'summary' in body ? { ...body.summary } : { ...body };
  printRecord(context, { body, rows: rowsOf(summary), id: improvement.improvement_id });
  return EXIT.ok;
};

const showSettings = recordCommand({ endpoint: getImprovementSettings, project: 'params.id' });
const changeSettings = recordCommand({
  endpoint: updateImprovementSettings,
  project: 'params.id',
  flags: SETTING_FIELDS,
});
export const settings: Run = (context, input) =>
  (SETTING_FIELDS.some(({ name }) => input.has(name)) ? changeSettings : showSettings)(context, input);
