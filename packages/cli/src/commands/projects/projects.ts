import { join } from 'node:path';
import { getServiceActivity } from '@culprit/contract/incidents/service-activity';
import { listServices } from '@culprit/contract/incidents/services';
import { listProjectClients } from '@culprit/contract/setup/clients';
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  updateProject,
} from '@culprit/contract/workspace/projects';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { isObject } from '../../config/json-file.ts';
import { findProjectFile, PROJECT_FILE, writeProjectFile } from '../../config/project-file.ts';
import { readUserFile, writeUserFile } from '../../config/user-file.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { askText } from '../../output/ask.ts';
import { barsOf } from '../../output/bars.ts';
import { printJson, printRecord, say } from '../../output/print.ts';
import { fieldsOf } from '../../records/fields.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { projectId, projectIdByName } from '../../references/project-reference.ts';
import { ACTIVITY_FILTERS, CHANGED_PROJECT_FIELDS, CLIENT_FILTERS, NEW_PROJECT_FIELDS } from './flags.ts';

export const list = listCommand({
  endpoint: listProjects,
  project: 'none',
  key: 'projects',
  id: 'project_id',
  columns: [
    ['SLUG', 'slug', 'wide'],
    ['ROLE', 'effective_role'],
    ['PLAN', 'organization_plan'],
    ['OPEN', 'metrics.open_incidents'],
    ['REGRESSED', 'metrics.regressed_incidents'],
    ['TODAY', 'metrics.attention_incidents_today'],
    ['EVENTS', 'metrics.monthly_raw_ingested_events'],
    ['ID', 'project_id'],
  ],
  empty: 'No projects. Create one with: culprit projects create NAME',
});

export const show: Run = async (context, input) => {
  const id = await namedProject(context, input);
  const body = await (await context.api()).call(getProject, { params: { id } });
  printRecord(context, {
    body,
    key: 'project',
    rows: rowsOf({ ...body.project }),
    id: body.project.project_id,
  });
  return EXIT.ok;
};

export const create = recordCommand({
  endpoint: createProject,
  project: 'none',
  key: 'project',
  id: 'project_id',
  flags: NEW_PROJECT_FIELDS,
  body: (_, input) => ({ name: input.first }),
});

export const update: Run = async (context, input) => {
  const id = await namedProject(context, input);
  const body = fieldsOf(input, CHANGED_PROJECT_FIELDS);
  if (Object.keys(body).length === 0) throw usageError('Nothing to change.', 'see --help for the flags');
  if (input.has('dry-run')) {
    printJson(context, { method: 'PATCH', path: `/v1/projects/${id}`, body });
    return EXIT.ok;
  }
  const answer = await (await context.api()).send(updateProject, { params: { id }, body });
  const { project } = answer;
  printRecord(context, { body: answer, key: 'project', rows: isObject(project) ? rowsOf(project) : [], id });
  return EXIT.ok;
};

/** Everything in the project is deleted immediately, so `--yes` is not enough: the slug has to be typed. */
export const remove: Run = async (context, input) => {
  const api = await context.api();
  const id = await namedProject(context, input);
  const { project } = await api.call(getProject, { params: { id } });
  if (input.has('dry-run')) {
    printJson(context, { method: 'DELETE', path: `/v1/projects/${project.project_id}`, body: null });
    return EXIT.ok;
  }
  const typed =
    input.text('confirm') ??
    (await askText(context, `Type "${project.slug}" to delete it with all its incidents`, () =>
      usageError('Nothing was changed: repeat the slug to delete the project.', `--confirm ${project.slug}`),
    ));
  if (typed !== project.slug) throw usageError('That is not the slug of the project. Nothing was changed.');
  const body = await api.call(deleteProject, { params: { id } });
  printRecord(context, {
    body,
    key: 'project',
    rows: rowsOf({ ...body.project }),
    id: body.project.project_id,
  });
  say(context, `Project "${project.slug}" is deleted.`);
  return EXIT.ok;
};

export const use: Run = async (context, input) => {
  const { profileName } = context.settings();
  const api = await context.api();
  const { project } = await api.call(getProject, { params: { id: await namedProject(context, input) } });
  const { project_id: id, slug } = project;
  if (input.has('here')) {
    const path =
      findProjectFile(context.directory, context.environment) ?? join(context.directory, PROJECT_FILE);
    writeProjectFile(path, { project_id: id });
    say(context, `"${slug}" is the project of ${path}.`);
  } else {
    const file = readUserFile(context.environment);
    const profile = profileName === null ? undefined : file.profiles[profileName];
    if (profileName === null || profile === undefined)
      throw usageError('There is no profile to store it in.', 'culprit login, or --here');
    writeUserFile(context.environment, {
      ...file,
      profiles: { ...file.profiles, [profileName]: { ...profile, project_id: id } },
    });
    say(context, `"${slug}" is the project of profile "${profileName}".`);
  }
  if (context.globals.json) printJson(context, { project_id: id });
  else if (context.globals.quiet) context.terminal.out(`${id}\n`);
  return EXIT.ok;
};

export const services = listCommand({
  endpoint: listServices,
  project: 'optional query',
  key: 'services',
  id: 'service_id',
  columns: [
    ['NAME', 'name', 'wide'],
    ['ENVIRONMENT', 'environment'],
    ['RUNTIME', 'runtime'],
    ['FRAMEWORK', 'framework'],
    ['ID', 'service_id'],
  ],
  empty: 'No services: none has sent an event yet.',
  keep: (service, input) => !input.has('environment') || service.environment === input.text('environment'),
});

export const clients = listCommand({
  endpoint: listProjectClients,
  project: 'params.id',
  key: 'clients',
  id: ({ service_id, sdk_name, sdk_version }) => `${service_id} ${sdk_name} ${sdk_version}`,
  columns: [
    ['SERVICE', 'service_name', 'wide'],
    ['ENVIRONMENT', 'environment'],
    ['LIBRARY', 'sdk_name'],
    ['RELEASE', 'sdk_version'],
    ['EVENTS', 'events'],
    ['TAGS LEFT OUT', 'tags_left_out'],
    ['LAST DAY', 'last_day'],
  ],
  empty: 'No client library has sent an event.',
  flags: CLIENT_FILTERS,
});

export const activity = listCommand({
  endpoint: getServiceActivity,
  project: 'params.id',
  key: 'services',
  id: 'service_id',
  flags: ACTIVITY_FILTERS,
  isWhole: true,
  columns: [
    ['TREND', ({ counts }) => (Array.isArray(counts) ? barsOf(counts.map(Number)) : null)],
    ['OPEN', 'open_incidents'],
    ['REGRESSED', 'regressed_incidents'],
    ['WORST', 'worst_severity'],
    ['LAST', 'last_event_at'],
    ['ID', 'service_id', 'wide'],
  ],
  empty: 'No services: none has sent an event yet.',
});

/** The project that the argument names, else the chosen one. */
export async function namedProject(context: Context, input: Input): Promise<string> {
  const [reference] = input.args;
  if (reference === undefined) return await projectId(context);
  return /^(?:proj_)?[0-9a-f-]{36}$/.test(reference) ? reference : await projectIdByName(context, reference);
}
