import { createSuggestedCaptureRule, suggestCaptureRules } from '@culprit/contract/capture/capture-rules';
import { activateProbe } from '@culprit/contract/capture/probes';
import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import { listFixes } from '@culprit/contract/incidents/incident-fixes';
import { listNotes, type Note } from '@culprit/contract/incidents/incident-notes';
import { listIncidentTags } from '@culprit/contract/incidents/incident-tags';
import {
  getIncident,
  type Incident,
  listIncidents,
  reopenIncidents,
  resolveIncidents,
} from '@culprit/contract/incidents/incidents';
import { listServices, type Service } from '@culprit/contract/incidents/services';
import { codeLink, commitOf } from '@culprit/contract/releases/repository-links';
import { getProject, listProjects, type Project } from '@culprit/contract/workspace/projects';
import type { SourceTrust } from '../evidence/incident-answer.ts';
import { type IncidentChanges, type IncidentSource, SourceError } from '../source.ts';
import { noBundleWords } from '../words/no-bundle.ts';
import { namedProjects } from './named-projects.ts';
import type { ServiceCalls } from './service-calls.ts';
import { triageIncident } from './triage-incident.ts';

const PROJECT_ID = /^(?:proj_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Records that are read for one answer at most; it could not show more. */
const RECORDS_MAX = 1000;
const TRUSTS: readonly SourceTrust[] = ['browser', 'server', 'mixed'];

/** The incidents of a service. */
export function serviceSource(api: ServiceCalls): IncidentSource {
  const projectIdOf = async (project: string) => {
    if (PROJECT_ID.test(project)) return project;
    const [first, ...others] = namedProjects(await allProjects(api), project);
    if (first !== undefined && others.length === 0) return first.project_id;
    throw first === undefined
      ? new SourceError('No project that you see has this name.', 'use one from list_projects')
      : new SourceError('Several projects have this name.', 'use an id from list_projects');
  };
  return {
    async listProjects() {
      const [projects, services] = await Promise.all([allProjects(api), allServices(api)]);
      return projects.map(({ project_id, slug, name, metrics }) => ({
        projectId: project_id,
        slug,
        name,
        openIncidents: metrics.open_incidents,
        services: services.filter((each) => each.project_id === project_id),
      }));
    },
    async listIncidents({ project, since, status, query, severity, service, environment, limit, cursor }) {
      const page = await api.call(listIncidents, {
        query: {
          status,
          limit,
          ...(project === undefined ? {} : { project_id: await projectIdOf(project) }),
          ...(query === undefined ? {} : { q: query }),
          ...(severity === undefined ? {} : { severity }),
          ...(service === undefined ? {} : { service }),
          ...(environment === undefined ? {} : { environment }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      });
      // The list is in the order of last activity, so nothing newer comes behind the first that is too old.
      const sinceMs = since === undefined ? 0 : Date.parse(since);
      const incidents = page.incidents.filter(({ last_seen_at }) => Date.parse(last_seen_at) >= sinceMs);
      return {
        // Short numbers leave the tokens of a row to the title.
        incidents: incidents.map((incident) => ({
          reference: incident.short_id ?? incident.incident_id,
          incident,
        })),
        nextCursor: incidents.length < page.incidents.length ? null : page.next_cursor,
      };
    },
    async evidence(reference, sections) {
      const params = { id: reference };
      const [{ incident }, document, suggested, { fixes }, tagged, notes] = await Promise.all([
        api.call(getIncident, { params }),
        api.call(getIncidentBundle, { params }),
        sections.includes('rules') ? api.call(suggestCaptureRules, { params }) : null,
        api.call(listFixes, { params }),
        sections.includes('tags') ? api.call(listIncidentTags, { params }) : null,
        sections.includes('notes') ? allNotes(api, reference) : [],
      ]);
      const bundle = 'bundle_version' in document ? document : null;
      const hasPlace =
        bundle !== null && bundle.summary.first_application_frame !== null && commitOf(bundle) !== null;
      const project = hasPlace ? await api.call(getProject, { params: { id: incident.project_id } }) : null;
      return {
        incident,
        reference: incident.incident_id,
        trust: trustOf(incident),
        bundle,
        absence: 'bundle_version' in document ? null : noBundleWords(document),
        suggestions: suggested?.suggestions ?? [],
        fixes,
        tags: tagged?.tags,
        notes,
        codeUrl: bundle === null || project === null ? null : codeLink(project.project.repositories, bundle),
      };
    },
    changes: changesOf(api, projectIdOf),
  };
}

async function allNotes(api: ServiceCalls, incidentId: string): Promise<Note[]> {
  const notes: Note[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor === null ? {} : { cursor }) };
    const page = await api.call(listNotes, { params: { id: incidentId }, query });
    notes.push(...page.notes);
    cursor = page.next_cursor;
  } while (cursor !== null && notes.length < RECORDS_MAX);
  return notes;
}

function changesOf(api: ServiceCalls, projectIdOf: (project: string) => Promise<string>): IncidentChanges {
  return {
    triage: (incidentId, wish) => triageIncident(api, incidentId, wish),
    async setStatus(ids, status) {
      const endpoint = status === 'resolved' ? resolveIncidents : reopenIncidents;
      return (await api.call(endpoint, { body: { incident_ids: [...ids] } })).incidents;
    },
    async createCaptureRule({ incidentId, suggestionId, isEnabled, expiresAt }) {
      const { rule } = await api.call(createSuggestedCaptureRule, {
        params: { id: incidentId },
        body: { suggestion_id: suggestionId, enabled: isEnabled, expires_at: expiresAt },
      });
      return { ruleId: rule.id, isEnabled: rule.enabled };
    },
    async activateProbe({ project, labelPattern, service, environment, ttlSeconds }) {
      const { activation } = await api.call(activateProbe, {
        params: { id: await projectIdOf(project) },
        body: {
          label_pattern: labelPattern,
          ttl_seconds: ttlSeconds,
          ...(service === undefined ? {} : { service }),
          ...(environment === undefined ? {} : { environment }),
        },
      });
      return { activationId: activation.activation_id, expiresAt: activation.expires_at };
    },
  };
}

/** Returns the possible senders of the events; unknown if the service does not report them. */
function trustOf(incident: Incident): SourceTrust {
  const said = 'source_trust' in incident ? incident.source_trust : null;
  return TRUSTS.find((trust) => trust === said) ?? 'unknown';
}

async function allProjects(api: ServiceCalls): Promise<Project[]> {
  return await allRecords(async (query) => {
    const page = await api.call(listProjects, { query });
    return { records: page.projects, next: page.next_cursor };
  });
}

async function allServices(api: ServiceCalls): Promise<Service[]> {
  return await allRecords(async (query) => {
    const page = await api.call(listServices, { query });
    return { records: page.services, next: page.next_cursor };
  });
}

async function allRecords<Row>(
  fetchPage: (query: { limit: number; cursor?: string }) => Promise<{ records: Row[]; next: string | null }>,
): Promise<Row[]> {
  const records: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: { records: Row[]; next: string | null } = await fetchPage({
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    });
    records.push(...page.records);
    cursor = page.next;
  } while (cursor !== null && records.length < RECORDS_MAX);
  return records;
}
