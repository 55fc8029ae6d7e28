import {
  getIncidentWatch,
  type IncidentWatch,
  unwatchIncident,
  watchIncident,
} from '@culprit/contract/incidents/incident-watch';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printJson, printLines } from '../../output/print.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';

export const watch: Run = async (context, input) => {
  const params = { id: await incidentIdOf(context, input.first) };
  const api = await context.api();
  const endpoint = input.has('show') ? getIncidentWatch : watchIncident;
  return print(context, (await api.call(endpoint, { params })).watch);
};

export const unwatch: Run = async (context, input) => {
  const params = { id: await incidentIdOf(context, input.first) };
  return print(context, (await (await context.api()).call(unwatchIncident, { params })).watch);
};

function print(context: Context, watched: IncidentWatch): ExitCode {
  if (context.globals.json) printJson(context, { watch: watched });
  else
    printLines(context, [
      watched.is_watched ? 'You are watching it.' : 'You are not watching it.',
      ...watched.watchers.map(({ name }) => `Watched by ${name}`),
    ]);
  return EXIT.ok;
}
