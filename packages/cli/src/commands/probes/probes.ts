import { activateProbe, deactivateProbe, listProbes } from '@culprit/contract/capture/probes';
import { listProbeResults } from '@culprit/contract/events/recent-events';
import type { Run } from '../../command.ts';
import { isObject } from '../../config/json-file.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printRecord, say } from '../../output/print.ts';
import { visibleJson } from '../../output/visible-text.ts';
import { fieldsOf } from '../../records/fields.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { projectId } from '../../references/project-reference.ts';
import { PROBE_FIELDS, RESULT_FILTERS } from './flags.ts';

/** The header in which a request carries a trigger token (docs/contract/ingestion.md 0). */
const TRIGGER_HEADER = 'X-Service-Probe-Trigger';

export const list = listCommand({
  endpoint: listProbes,
  project: 'params.id',
  key: 'probes',
  id: 'activation_id',
  columns: [
    ['PATTERN', 'label_pattern', 'wide'],
    ['SERVICE', 'service'],
    ['ENVIRONMENT', 'environment'],
    ['UNTIL', 'expires_at'],
    ['ID', 'activation_id'],
  ],
  empty: 'No active probes.',
});

/** The trigger token is a secret, so it is printed only on request. */
export const activate: Run = async (context, input) => {
  const id = await projectId(context);
  const body = { label_pattern: input.first, ...fieldsOf(input, PROBE_FIELDS) };
  if (input.has('dry-run')) {
    printJson(context, { method: 'POST', path: `/v1/projects/${id}/probes/activate`, body });
    return EXIT.ok;
  }
  const answer = await (await context.api()).send(activateProbe, { params: { id }, body });
  const { trigger_token: token, compat_trigger_token: _, ...shown } = answer;
  const activation = isObject(answer.activation) ? answer.activation : {};
  if (input.has('show-trigger')) {
    say(context, 'The trigger token is shown once; a request with this header reports more:');
    const { terminal } = context;
    terminal.outSecret(
      context.globals.json ? `${visibleJson(answer)}\n` : `${TRIGGER_HEADER}: ${String(token)}\n`,
    );
    return EXIT.ok;
  }
  printRecord(context, { body: shown, rows: rowsOf(activation), id: String(activation.activation_id) });
  return EXIT.ok;
};

export const results = listCommand({
  endpoint: listProbeResults,
  project: 'params.id',
  key: 'results',
  id: 'event_id',
  flags: RESULT_FILTERS,
  columns: [
    ['TIME', 'occurred_at'],
    ['LABEL', 'label'],
    ['SERVICE', 'service'],
    ['DATA', 'data', 'wide'],
    ['INCIDENT', 'incident_id'],
  ],
  empty: 'No probe has reported anything in the last 7 days.',
});

export const deactivate = recordCommand({
  endpoint: deactivateProbe,
  project: 'params.id',
  argument: 'activation_id',
  key: 'deactivated',
  id: 'activation_id',
});
