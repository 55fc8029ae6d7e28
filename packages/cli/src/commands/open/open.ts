import { getServer } from '@culprit/contract/endpoints/server';
import { getIncident } from '@culprit/contract/incidents/incidents';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson } from '../../output/print.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { projectId } from '../../references/project-reference.ts';
import { openInBrowser } from './open-in-browser.ts';

export const run: Run = async (context, input) => {
  const [reference] = input.args;
  const url = await pageOf(context, reference ?? null);
  if (context.globals.json) {
    printJson(context, { url });
    return EXIT.ok;
  }
  return await openInBrowser(context, url, input.has('print') || context.globals.quiet);
};

/** Returns the address of a page of the dashboard; a server that names no address serves the dashboard itself. */
async function pageOf(context: Context, reference: string | null): Promise<string> {
  const api = await context.api();
  const answer = await api.attempt(getServer);
  const base = answer.ok ? answer.body.app_url : api.origin;
  if (reference === null) return base;
  if (reference === 'docs') return new URL('/docs', api.origin).href;
  if (reference === 'project') return `${base}/projects/${await projectId(context)}`;
  const { incident } = await api.call(getIncident, {
    params: { id: await incidentIdOf(context, reference) },
  });
  return `${base}/incidents/${incident.incident_id}`;
}
