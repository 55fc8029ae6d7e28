import {
  previewSnooze,
  type SnoozeRequest,
  snoozeIncidents,
  wakeIncidents,
} from '@culprit/contract/incidents/incident-snooze';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { parseDurationMs } from '../../duration.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { instantMs } from '../../instant.ts';
import { printJson, printLines } from '../../output/print.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { named, printChanged } from './triage.ts';
import { snoozeText } from './triage-words.ts';

const EXAMPLE = 'culprit incidents snooze @1 3d';

export const snooze: Run = async (context, input) => {
  const { ids, word } = await named(context, input, 'Snooze what, and for how long?', EXAMPLE);
  const asked = requestOf(input, word);
  if (input.has('preview')) return await preview(context, ids, asked);
  const api = await context.api();
  const { incidents } = await api.call(snoozeIncidents, { body: { incident_ids: ids, ...asked } });
  return printChanged(context, incidents, (incident) => `Snoozed ${snoozeText(incident)}:`);
};

export const wake: Run = async (context, input) => {
  const ids: string[] = [];
  for (const reference of input.args) ids.push(await incidentIdOf(context, reference));
  if (ids.length === 0) throw usageError('Which incidents?', 'culprit incidents wake @1');
  const api = await context.api();
  const { incidents } = await api.call(wakeIncidents, { body: { incident_ids: [...new Set(ids)] } });
  return printChanged(context, incidents, () => 'Awake:');
};

function requestOf(input: Input, word: string): SnoozeRequest {
  const durationMs = parseDurationMs(word);
  const untilMs = durationMs === null ? instantMs(word) : Date.now() + durationMs;
  if (Number.isNaN(untilMs)) throw usageError(`"${word}" is neither a duration nor a time.`, EXAMPLE);
  const occurrences = input.number('occurrences');
  const users = input.number('users');
  const reason = input.text('reason');
  return {
    until: new Date(untilMs).toISOString(),
    ...(occurrences === null ? {} : { for_occurrences: occurrences }),
    ...(users === null ? {} : { for_users: users }),
    ...(input.has('next-release') ? { until_next_release: true } : {}),
    ...(input.has('even-if-escalating') ? { wakes_on_escalation: false } : {}),
    ...(reason === null ? {} : { reason }),
  };
}

async function preview(context: Context, ids: readonly string[], body: SnoozeRequest): Promise<ExitCode> {
  const [id, ...others] = ids;
  if (id === undefined || others.length > 0)
    throw usageError('--preview works only for one incident.', EXAMPLE);
  const played = await (await context.api()).call(previewSnooze, { params: { id }, body });
  if (context.globals.json) printJson(context, played);
  else
    printLines(context, [
      `In the last 30 days it would have hidden ${played.hidden} occurrences.`,
      ...played.would_have_woken.map(({ at, because }) => `Woken ${at} because of ${because}`),
    ]);
  return EXIT.ok;
}
