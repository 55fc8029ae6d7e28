import {
  createRelease,
  deleteRelease,
  getRelease,
  getReleaseActivity,
  listReleaseIncidents,
  listReleases,
  type Release,
} from '@culprit/contract/releases/releases';
import { commitLink, commonRepository, compareLink } from '@culprit/contract/releases/repository-links';
import { getProject } from '@culprit/contract/workspace/projects';
import type { Api } from '../../api/api.ts';
import { notFoundError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { JsonObject } from '../../config/json-file.ts';
import { EXIT } from '../../exit-codes.ts';
import { confirm } from '../../output/ask.ts';
import { printJson, printList, printRecord } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { projectId } from '../../references/project-reference.ts';
import { RELEASE_FACTS, RELEASE_FILTERS } from './flags.ts';
import { releaseCommits } from './release-commits.ts';

export const list = listCommand({
  endpoint: listReleases,
  project: 'params.id',
  key: 'releases',
  id: 'version',
  flags: RELEASE_FILTERS,
  columns: [
    ['VERSION', 'version', 'wide'],
    ['FIRST SEEN', 'first_at'],
    ['LAST SEEN', 'last_seen_at'],
    ['DEPLOYS', 'deploys'],
    ['NEW', 'new_incidents'],
    ['REGRESSED', 'regressed_incidents'],
    ['EVENTS', 'events'],
    ['MAPS', 'source_maps'],
  ],
  empty: 'No releases. Events create them, or: culprit releases create VERSION',
});

export const create = recordCommand({
  endpoint: createRelease,
  project: 'params.id',
  argument: 'version',
  key: 'release',
  id: 'version',
  flags: RELEASE_FACTS,
  body: releaseCommits,
});

/** The release of a version in the chosen project. */
async function releaseOf(api: Api, id: string, version: string): Promise<Release> {
  const { releases } = await api.call(listReleases, { params: { id }, query: { version } });
  const [release] = releases;
  if (release !== undefined) return release;
  throw notFoundError(`There is no release ${visibleLine(version)}.`, 'culprit releases list');
}

/** The addresses of a release's commit and of what changed in it, where the settings of the project name its repository. */
async function codeLinks(api: Api, id: string, release: Release): Promise<JsonObject> {
  const { commit_sha: commit, previous_version: previous } = release;
  if (commit === null) return {};
  const { project } = await api.call(getProject, { params: { id } });
  const services = release.services.map(({ service_name: name }) => name);
  const repository = commonRepository(project.repositories, services);
  if (repository === null) return {};
  const before = previous === null ? null : await releaseOf(api, id, previous);
  return {
    commit_url: commitLink(repository, commit),
    changes_url: compareLink(repository, before?.commit_sha ?? null, commit),
  };
}

export const show: Run = async (context, input) => {
  const api = await context.api();
  const id = await projectId(context);
  const { release_id: releaseId } = await releaseOf(api, id, input.first);
  const params = { id, releaseId };
  if (input.has('activity')) {
    printJson(context, await api.call(getReleaseActivity, { params }));
    return EXIT.ok;
  }
  const body = await api.call(getRelease, { params });
  const { services, ...release } = body.release;
  const rows = rowsOf({
    ...release,
    ...(context.globals.json ? {} : await codeLinks(api, id, body.release)),
    services: services.map(({ service_name, environment }) => `${service_name} ${environment}`),
    latest_commits: body.commits.map(
      ({ sha, message }) => `${sha.slice(0, 8)} ${message.split('\n')[0] ?? ''}`,
    ),
  });
  printRecord(context, { body, rows, id: release.version });
  return EXIT.ok;
};

export const incidents: Run = async (context, input) => {
  const api = await context.api();
  const id = await projectId(context);
  const { release_id: releaseId } = await releaseOf(api, id, input.first);
  const kind = input.text('kind');
  const answer = await api.send(listReleaseIncidents, {
    params: { id, releaseId },
    query: { ...(kind === null ? {} : { kind }), limit: 100 },
  });
  const items = Array.isArray(answer.incidents) ? answer.incidents : [];
  printList(context, {
    items,
    key: 'incidents',
    body: answer,
    nextCursor: typeof answer.next_cursor === 'string' ? answer.next_cursor : null,
    id: ({ incident_id }) => String(incident_id),
    columns: [
      { title: 'STATUS', cell: ({ status }) => String(status) },
      { title: 'EVENTS', cell: ({ occurrence_count }) => String(occurrence_count) },
      { title: 'TITLE', cell: ({ title }) => String(title), isFlexible: true },
      { title: 'ID', cell: ({ incident_id }) => String(incident_id) },
    ],
    empty: 'No such incidents.',
  });
  return EXIT.ok;
};

export const remove: Run = async (context, input) => {
  const api = await context.api();
  const id = await projectId(context);
  const { release_id: releaseId, version } = await releaseOf(api, id, input.first);
  const question = `Delete the release ${visibleLine(version)}? Its incidents and events stay.`;
  if (!context.globals.yes) await confirm(context, question, `This needs a confirmation: ${question}`);
  const body = await api.call(deleteRelease, { params: { id, releaseId } });
  printRecord(context, { body, key: 'release', rows: [['deleted', version]], id: version });
  return EXIT.ok;
};
