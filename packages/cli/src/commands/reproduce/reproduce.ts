import { getIncidentReproduction } from '@culprit/contract/incidents/incident-bundle';
import { CliError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { notPossible, printReproduction } from './print-reproduction.ts';

export const run: Run = async (context, input) => {
  const api = await context.api();
  const id = await incidentIdOf(context, input.first);
  const body = await api.call(getIncidentReproduction, { params: { id } });
  if ('status' in body) {
    throw new CliError('The reproduction is still being built.', {
      exit: EXIT.negative,
      code: 'reproduction_pending',
      hint: 'try again in a moment',
    });
  }
  if (!input.has('run')) return printReproduction(context, input, body);
  if (body.artifacts === null) throw notPossible(body.reason);
  const { runRequest } = await import('./run-request.ts');
  return await runRequest(context, input, id, body.artifacts.json_spec);
};
