import { misspelledKey, readQuery } from '@culprit/contract/search/incident-query';
import { readHandle } from '../evidence/handles.ts';
import type { IncidentEvidence, Wanted } from '../evidence/incident-answer.ts';
import { incidentAnswer } from '../evidence/incident-answer.ts';
import { SECTION_NAMES, type SectionName } from '../evidence/sections.ts';
import { incidentList, projectList } from '../list-answers.ts';
import { type IncidentSource, SourceError } from '../source.ts';
import type { ToolInput } from './tool-table.ts';

/** The sources of the tools: a service, the files of this machine, or both. */
export interface Sources {
  server: IncidentSource | null;
  local: IncidentSource | null;
  /** Project of calls that name none. */
  project: string | null;
  tokensDefault: number;
}

const LOCAL = 'local:';
const LIMIT_DEFAULT = 20;

export async function listProjects(sources: Sources, input: ToolInput<'list_projects'>): Promise<string> {
  const source = sources.server ?? sources.local;
  if (source === null) throw nothingToRead();
  return projectList(await source.listProjects(), input.max_tokens ?? sources.tokensDefault);
}

export async function listIncidents(sources: Sources, input: ToolInput<'list_incidents'>): Promise<string> {
  const { project = sources.project, status = 'active', limit = LIMIT_DEFAULT, cursor } = input;
  const { query, severity, service, environment, since } = input;
  if (since !== undefined && Number.isNaN(Date.parse(since))) {
    throw new SourceError('since is not a time.', 'write it as 2026-01-31T12:00:00Z');
  }
  const { terms, fault } = readQuery(query ?? '');
  if (fault !== null) throw new SourceError(`The query ${fault.words}.`);
  const misspelled = misspelledKey(terms);
  const read = listedSources(sources, input.source ?? 'all');
  const pages = await Promise.all(
    read.map((source) =>
      source.listIncidents({
        status,
        limit,
        ...(project === null ? {} : { project }),
        ...(query === undefined ? {} : { query }),
        ...(severity === undefined ? {} : { severity }),
        ...(service === undefined ? {} : { service }),
        ...(environment === undefined ? {} : { environment }),
        ...(since === undefined ? {} : { since }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    ),
  );
  const incidents = pages
    .flatMap((page) => page.incidents)
    .toSorted((a, b) => Date.parse(b.incident.last_seen_at) - Date.parse(a.incident.last_seen_at));
  // Only a service has pages; local incidents are all there.
  const nextCursor = pages.map((page) => page.nextCursor).find((each) => each !== null) ?? null;
  const list = incidentList({ incidents, nextCursor }, input.max_tokens ?? sources.tokensDefault);
  return misspelled === null ? list : `${misspelled}\n${list}`;
}

export async function getIncident(sources: Sources, input: ToolInput<'get_incident'>): Promise<string> {
  const names = SECTION_NAMES.filter((name) => input.sections?.includes(name) === true);
  const wanted: Wanted = input.sections === undefined ? { kind: 'all' } : { kind: 'sections', names };
  const evidence = await evidenceOf(sources, input.incident_id, names);
  return incidentAnswer(evidence, wanted, input.max_tokens ?? sources.tokensDefault);
}

export async function getEvidence(sources: Sources, input: ToolInput<'get_evidence'>): Promise<string> {
  const handle = readHandle(input.handle);
  if (handle === null) {
    throw new SourceError('This is not a handle.', 'use one from the end of a get_incident result');
  }
  const { incidentId, section, offset, generation } = handle;
  const evidence = await evidenceOf(sources, incidentId, [section]);
  return incidentAnswer(
    evidence,
    { kind: 'from', section, offset, generation },
    input.max_tokens ?? sources.tokensDefault,
  );
}

/** Reads the evidence of an incident, from the service or from this machine. */
export async function evidenceOf(
  sources: Sources,
  reference: string,
  sections: readonly SectionName[],
): Promise<IncidentEvidence> {
  const source = reference.startsWith(LOCAL) ? sources.local : (sources.server ?? sources.local);
  if (source === null) {
    throw reference.startsWith(LOCAL) ? nothingLocal() : nothingToRead();
  }
  return await source.evidence(reference, sections);
}

function listedSources(sources: Sources, which: 'server' | 'local' | 'all'): IncidentSource[] {
  const all = { server: sources.server, local: sources.local };
  const read = which === 'all' ? [all.server, all.local] : [all[which]];
  const found = read.filter((source) => source !== null);
  if (found.length === 0) throw which === 'local' ? nothingLocal() : nothingToRead();
  return found;
}

function nothingLocal(): SourceError {
  return new SourceError(
    'There are no local events here.',
    'start culprit mcp in the directory of the application',
  );
}

function nothingToRead(): SourceError {
  return new SourceError(
    'Not signed in to a server, and there are no local events.',
    'let the user run: culprit login',
  );
}
