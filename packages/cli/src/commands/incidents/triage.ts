import { type TriageChange, updateIncidents } from '@culprit/contract/incidents/incident-triage';
import { getIncident, type Incident } from '@culprit/contract/incidents/incidents';
import { PRIORITY_LEVELS } from '@culprit/contract/incidents/triage-words';
import { assigneesNamed, listPeople } from '@culprit/contract/workspace/people';
import { notFoundError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { keepFields, printJson, printLines } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { priorityText } from './triage-words.ts';

export const assign: Run = async (context, input) => {
  const { ids, word } = await named(context, input, 'Assign what to whom?', 'culprit incidents assign @1 me');
  const assignee = word === 'none' ? null : await assigneeNamed(context, ids[0] ?? '', word);
  return await change(context, ids, { assignee }, ({ triage }) =>
    triage.assignee === null ? 'Unassigned' : `Assigned to ${visibleLine(triage.assignee.name)}:`,
  );
};

export const prioritize: Run = async (context, input) => {
  const example = 'culprit incidents priority @1 high';
  const { ids, word } = await named(context, input, 'Which priority?', example);
  const priority = PRIORITY_LEVELS.find((level) => level === word) ?? null;
  if (priority === null && word !== 'auto') throw usageError(`"${word}" is not a priority.`, example);
  return await change(context, ids, { priority }, (incident) => `Priority ${priorityText(incident)}:`);
};

/** The incidents and the last argument. */
export async function named(
  context: Context,
  input: Input,
  question: string,
  example: string,
): Promise<{ ids: string[]; word: string }> {
  const references = input.args.slice(0, -1);
  const word = input.args.at(-1);
  if (references.length === 0 || word === undefined) throw usageError(question, example);
  const ids: string[] = [];
  for (const reference of references) ids.push(await incidentIdOf(context, reference));
  return { ids: [...new Set(ids)], word };
}

async function change(
  context: Context,
  ids: readonly string[],
  set: TriageChange,
  words: (incident: Incident) => string,
): Promise<ExitCode> {
  const api = await context.api();
  const { incidents } = await api.call(updateIncidents, { body: { incident_ids: [...ids], set } });
  return printChanged(context, incidents, words);
}

/** Prints changed incidents: a sentence of each, or records. */
export function printChanged(
  context: Context,
  incidents: readonly Incident[],
  words: (incident: Incident) => string,
): ExitCode {
  const { globals } = context;
  if (globals.json) {
    printJson(context, { incidents: incidents.map((each) => keepFields(each, globals.fields)) });
  } else {
    const line = (incident: Incident) =>
      `${words(incident)} ${incident.incident_id}  ${visibleLine(incident.title)}`;
    printLines(
      context,
      incidents.map((each) => (globals.quiet ? each.incident_id : line(each))),
    );
  }
  return EXIT.ok;
}

/** A person of the incident's project, by `me`, handle, address, name or id, or a team by slug, name or id. */
async function assigneeNamed(
  context: Context,
  incidentId: string,
  word: string,
): Promise<NonNullable<TriageChange['assignee']>> {
  const api = await context.api();
  const { incident } = await api.call(getIncident, { params: { id: incidentId } });
  const everyone = await api.call(listPeople, { params: { id: incident.project_id } });
  const found = assigneesNamed(everyone, word);
  const [assignee] = found;
  if (assignee === undefined)
    throw notFoundError(`${word} is not in this project.`, 'culprit members people');
  if (found.length > 1)
    throw usageError(`Several people or teams are called ${word}.`, 'use the handle or the address');
  return assignee;
}
