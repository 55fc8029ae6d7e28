import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { type Incident, listIncidents } from '@culprit/contract/incidents/incidents';
import { SEVERITIES } from '@culprit/contract/incidents/severities';
import { misspelledKey, readQuery } from '@culprit/contract/search/incident-query';
import { VIEW_STATUSES } from '@culprit/contract/search/views';
import type { Api } from '../../api/api.ts';
import { olderServerError } from '../../api/version-words.ts';
import type { CliError } from '../../cli-error.ts';
import { type Context, warn } from '../../context.ts';
import type { Input } from '../../input.ts';
import { type Gathered, gather } from '../../lists/gather.ts';
import { chosenProjectId } from '../../references/project-reference.ts';
import { noteNames } from '../../state/known-names.ts';

type Query = QueryOf<typeof listIncidents>;

/** The query that the filters of a command mean. */
export async function incidentQuery(context: Context, input: Input): Promise<Query> {
  const query: Query = {};
  const projectId = input.has('all-projects') ? null : await chosenProjectId(context, { isOptional: true });
  if (projectId !== null) query.project_id = projectId;
  const status = input.choice('status', VIEW_STATUSES) ?? 'active';
  if (status !== 'all') query.status = status;
  const severity = input.choice('severity', SEVERITIES);
  if (severity !== null) query.severity = severity;
  const texts = { service: input.text('service'), environment: input.text('environment') };
  const release = input.text('release');
  if (release !== null) query.release = release;
  if (texts.service !== null) query.service = texts.service;
  if (texts.environment !== null) query.environment = texts.environment;
  const search = input.text('search');
  if (search !== null) {
    query.q = search;
    const problem = misspelledKey(readQuery(search).terms);
    if (problem !== null) warn(context, problem);
  }
  const severityMin = input.choice('severity-min', SEVERITIES);
  if (severityMin !== null) query.severity_min = severityMin;
  const since = input.time('since');
  if (since !== null) query.attention_after = since;
  const firstSeen = input.time('first-seen-since');
  if (firstSeen !== null) query.first_seen_after = firstSeen;
  return query;
}

/** The incidents that the filters match, over as many pages as are needed. */
export async function gatherIncidents(context: Context, input: Input): Promise<Gathered<Incident>> {
  const api = await context.api();
  const query = await incidentQuery(context, input);
  const gathered = await gather(
    context,
    input,
    async (page) => {
      const answer = await api.attempt(listIncidents, { query: { ...query, ...page } });
      if (!answer.ok) throw isNewer(query, answer.code) ? await tooOld(api) : answer.failure;
      return { items: answer.body.incidents, nextCursor: answer.body.next_cursor, body: answer.body };
    },
    ({ incident_id }) => incident_id,
  );
  noteNames(
    context.environment,
    'services',
    gathered.items.flatMap(({ service_name }) => service_name ?? []),
  );
  noteNames(
    context.environment,
    'environments',
    gathered.items.map(({ environment }) => environment),
  );
  return gathered;
}

/** Returns true if an older server refused a filter that it does not support. */
function isNewer(query: Query, code: string): boolean {
  const filters = [query.q, query.severity_min, query.release];
  return code === 'invalid_query' && filters.some((filter) => filter !== undefined);
}

async function tooOld(api: Api): Promise<CliError> {
  return await olderServerError(
    api,
    '--search, --severity-min and --release, or not with these values',
    'without them, or with a newer server',
  );
}
