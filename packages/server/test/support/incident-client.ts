import { createClient } from '@culprit/contract/endpoints/client';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import * as incidents from '@culprit/contract/incidents/incidents';
import type { LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import { type LogRow, listIncidentLogs } from '@culprit/contract/incidents/logs';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit, TestProject } from './culprit.ts';
import { eventually } from './eventually.ts';
import { type Answer, acknowledgement, sendEvents, sendRequest } from './send-events.ts';

/** One row of the lifecycle ledger. */
interface LedgerRow {
  kind: LifecycleKind;
  incidentId: string;
  data: Record<string, unknown>;
}

/** What an application and a member do with one project, over HTTP. */
export interface IncidentClient {
  project: TestProject;
  /** Sends events in one request; throws unless all of them are accepted. */
  send(...events: object[]): Promise<void>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  list(query?: Readonly<Record<string, string>>): Promise<incidents.Incident[]>;
  read(incidentId: string): Promise<incidents.Incident>;
  /** Waits until the project has incidents with these counts of occurrences in all, newest activity first. */
  counted(...occurrences: number[]): Promise<incidents.Incident[]>;
  /** Waits for the project's only incident with that many occurrences. */
  only(occurrences?: number): Promise<incidents.Incident>;
  /** Resolves, and waits until the server's clock is past the moment of it. */
  resolve(incidentId: string): Promise<incidents.Incident>;
  reopen(incidentId: string): Promise<incidents.Incident>;
  logs(incidentId: string): Promise<LogRow[]>;
  /** Waits for a document, the generation if given. */
  bundle(incidentId: string, generation?: number): Promise<DebugBundle>;
  /** Everything the project's ledger tells, in order; of one kind if given. */
  ledger(kind?: LifecycleKind): Promise<LedgerRow[]>;
  /** Waits until the worker has dealt with every accepted event. */
  processed(): Promise<void>;
  /** Waits until no work is left at all, with every bundle read until it is up to date. */
  settled(): Promise<void>;
  /** The same without the pauses between refreshes, for tests that are not about them. */
  refreshed(): Promise<void>;
}

/** A client of a fresh project. */
export async function connect(
  culprit: TestCulprit,
  options?: Parameters<TestCulprit['createProject']>[0],
): Promise<IncidentClient> {
  return clientOf(culprit, await culprit.createProject(options));
}

/** A client of a project that is there. */
export function clientOf(culprit: TestCulprit, project: TestProject): IncidentClient {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  const id = parseId(['proj'], project.projectId) ?? '';

  async function list(query: Readonly<Record<string, string>> = {}): Promise<incidents.Incident[]> {
    const answer = await get(
      culprit,
      project,
      `/v1/incidents?${new URLSearchParams({ ...query, limit: '100' })}`,
    );
    return incidentsIn(answer);
  }

  async function change(
    incidentId: string,
    endpoint: typeof incidents.resolveIncident | typeof incidents.reopenIncident,
  ) {
    const result = await api.call(endpoint, { params: { id: incidentId } });
    if (!result.ok) throw new Error(`${endpoint.id} answered ${result.status} ${result.error}`);
    return result.body.incident;
  }

  /** Reads the bundles that are behind their incidents, as a person does who wants to see them. */
  async function readBehind(): Promise<void> {
    const behind = await culprit.database.query<{ incident_id: string }>(
      {
        name: 'test-behind',
        text: `select incident_id from bundles b join incidents i using (incident_id) where b.project_id = $1
          and b.object_key is not null and b.occurrence_count <> i.occurrence_count
          and not exists (select from jobs j where j.key = incident_id::text)`,
      },
      [id],
    );
    for (const { incident_id } of behind)
      await get(culprit, project, `/v1/incidents/inc_${incident_id}/bundle`);
    if (behind.length > 0) throw new Error(`${behind.length} bundles were behind their incidents`);
  }

  async function noJobs(lane: string | null, hurries = false): Promise<void> {
    await eventually(async () => {
      if (hurries) await culprit.database.query(MAKE_DUE, [id]);
      if (lane === null) await readBehind();
      const [row] = await culprit.database.query<{ jobs: number }>(
        {
          name: 'test-project-jobs',
          text: 'select count(*) as jobs from jobs where fairness_key = $1 and ($2::text is null or lane = $2)',
        },
        [id, lane],
      );
      if (row?.jobs !== 0) throw new Error(`${row?.jobs} jobs are still waiting`);
    });
  }

  async function counted(...occurrences: number[]): Promise<incidents.Incident[]> {
    return await eventually(async () => {
      const found = await list({ project_id: project.projectId });
      const counts = found.map((incident) => incident.occurrence_count);
      if ([...counts].sort().join() !== [...occurrences].sort().join()) {
        throw new Error(`incidents with ${counts.join() || 'no'} occurrences, not ${occurrences.join()}`);
      }
      return found;
    });
  }

  return {
    project,
    async send(...events) {
      const { accepted, errors } = acknowledgement(
        await sendEvents(culprit.url, project.projectToken, events),
      );
      if (accepted !== events.length) throw new Error(`accepted ${accepted}: ${JSON.stringify(errors)}`);
    },
    get: (path) => get(culprit, project, path),
    post: (path, body) =>
      sendRequest(culprit.url + path, {
        token: project.memberToken,
        json: body,
      }),
    list,
    async read(incidentId) {
      const result = await api.call(incidents.getIncident, { params: { id: incidentId } });
      if (!result.ok) throw new Error(`reading answered ${result.status} ${result.error}`);
      return result.body.incident;
    },
    counted,
    async only(occurrences = 1) {
      const [incident] = await counted(occurrences);
      if (incident === undefined) throw new Error('no incident');
      return incident;
    },
    async resolve(incidentId) {
      const incident = await change(incidentId, incidents.resolveIncident);
      await clockIsPast(culprit, incident.resolved_at ?? '');
      return incident;
    },
    reopen: (incidentId) => change(incidentId, incidents.reopenIncident),
    async logs(incidentId) {
      const result = await api.call(listIncidentLogs, { params: { id: incidentId }, query: { limit: 100 } });
      if (!result.ok) throw new Error(`logs answered ${result.status} ${result.error}`);
      return result.body.logs;
    },
    async bundle(incidentId, generation = 1) {
      return await eventually(async () => {
        const result = await api.call(getIncidentBundle, { params: { id: incidentId } });
        if (!result.ok) throw new Error(`the bundle answered ${result.status} ${result.error}`);
        if ('status' in result.body) throw new Error(`the bundle is ${result.body.status}`);
        if (result.body.metadata.generation_number < generation)
          throw new Error('an older generation is stored');
        return result.body;
      });
    },
    ledger: (kind) => readLedger(culprit, id, kind ?? null),
    processed: () => noJobs('events'),
    settled: () => noJobs(null),
    refreshed: () => noJobs(null, true),
  };
}

const MAKE_DUE = {
  name: 'test-make-due',
  text: `
    with aged as (
      update bundles set generated_at = generated_at - interval '1 h'
      where project_id = $1 and generated_at > culprit_now() - interval '10 min'
        and (exists (select from jobs j where j.key = incident_id::text and j.leased_until is null)
          or occurrence_count <> (select i.occurrence_count from incidents i where i.incident_id = bundles.incident_id))
    )
    update jobs set run_at = culprit_now()
    where fairness_key = $1 and run_at > culprit_now() and leased_until is null and failures = 0`,
};

async function get(culprit: TestCulprit, project: TestProject, path: string): Promise<Answer> {
  return await sendRequest(culprit.url + path, { method: 'GET', token: project.memberToken });
}

/** The incidents of a list or bulk answer; throws for every other one. */
export function incidentsIn({ status, body }: Answer): incidents.Incident[] {
  if (status !== 200 || !hasIncidents(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  return body.incidents;
}

const isIncident = compileValidator(incidents.Incident);

function hasIncidents(body: unknown): body is { incidents: incidents.Incident[] } {
  return isJsonObject(body) && Array.isArray(body.incidents) && body.incidents.every(isIncident);
}

/** Only an event received after this is new to a resolved incident (docs/contract/incidents.md 5.9). */
async function clockIsPast(culprit: TestCulprit, time: string): Promise<void> {
  await eventually(async () => {
    const [row] = await culprit.database.query<{ is_past: boolean }>(
      { name: 'test-clock-past', text: 'select culprit_now() > $1::timestamptz as is_past' },
      [time],
    );
    if (row?.is_past !== true) throw new Error(`the clock stands at ${time}`);
  });
}

async function readLedger(
  culprit: TestCulprit,
  projectId: string,
  kind: LifecycleKind | null,
): Promise<LedgerRow[]> {
  const rows = await culprit.database.query<{
    kind: LifecycleKind;
    incident_id: string;
    data: Record<string, unknown>;
  }>(
    {
      name: 'test-ledger',
      text: `select kind, incident_id, data from lifecycle_events
        where project_id = $1 and ($2::text is null or kind = $2) order by lifecycle_id`,
    },
    [projectId, kind],
  );
  return rows.map((row) => ({ kind: row.kind, incidentId: `inc_${row.incident_id}`, data: row.data }));
}
