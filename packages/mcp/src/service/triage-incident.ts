import { listTrackers } from '@culprit/contract/alerts/trackers';
import { createFix } from '@culprit/contract/incidents/incident-fixes';
import { createLink } from '@culprit/contract/incidents/incident-links';
import { createNote } from '@culprit/contract/incidents/incident-notes';
import { snoozeIncident, wakeIncident } from '@culprit/contract/incidents/incident-snooze';
import { type TriageChange, updateIncident } from '@culprit/contract/incidents/incident-triage';
import { getIncident, type Incident, resolveIncident } from '@culprit/contract/incidents/incidents';
import { assigneesNamed, listPeople } from '@culprit/contract/workspace/people';
import { SourceError, type TriageWish } from '../source.ts';
import type { ServiceCalls } from './service-calls.ts';

/**
 * Changes one incident, a request each: people first, because a name is what fails most often.
 * @throws SourceError that names the steps done before the one that failed
 */
export async function triageIncident(
  api: ServiceCalls,
  incidentId: string,
  wish: TriageWish,
): Promise<Incident> {
  const params = { id: incidentId };
  const { assignee, priority, snoozeUntil, note, fixUrl, ticket, resolvedIn } = wish;
  const { incident } = await api.call(getIncident, { params });
  const set: TriageChange = {
    ...(assignee === undefined ? {} : { assignee: await assigneeOf(api, incident.project_id, assignee) }),
    ...(priority === undefined ? {} : { priority }),
  };
  const steps: [name: string, isWanted: boolean, step: () => Promise<unknown>][] = [
    [
      assignee === undefined ? 'priority' : 'assignee',
      Object.keys(set).length > 0,
      () => api.call(updateIncident, { params, body: set }),
    ],
    ['note', note !== undefined, () => api.call(createNote, { params, body: { body: note ?? '' } })],
    ['fix', fixUrl !== undefined, () => api.call(createFix, { params, body: { url: fixUrl ?? '' } })],
    [
      'ticket',
      ticket !== undefined,
      async () =>
        api.call(createLink, { params, body: await linkOf(api, incident.project_id, ticket ?? '') }),
    ],
    [
      'snooze',
      snoozeUntil !== undefined,
      () =>
        snoozeUntil === null || snoozeUntil === undefined
          ? api.call(wakeIncident, { params })
          : api.call(snoozeIncident, { params, body: { until: snoozeUntil } }),
    ],
    [
      'resolve',
      resolvedIn !== undefined,
      () =>
        api.call(resolveIncident, {
          params,
          body:
            resolvedIn === undefined || resolvedIn === 'next'
              ? { in: 'next_release' }
              : { in: 'release', version: resolvedIn },
        }),
    ],
  ];
  const wanted = steps.filter(([, isWanted]) => isWanted);
  if (wanted.length === 0) throw new SourceError('Nothing to change.', 'add a field, such as assignee');
  const done: string[] = [];
  for (const [name, , step] of wanted) {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof SourceError) || done.length === 0) throw error;
      throw new SourceError(`${error.message} Done before: ${done.join(', ')}.`, error.hint);
    }
    done.push(name);
  }
  return (await api.call(getIncident, { params })).incident;
}

/** The only tracker creates a new ticket; an address becomes a plain link. */
async function linkOf(
  api: ServiceCalls,
  projectId: string,
  text: string,
): Promise<{ tracker_id: string } | { url: string }> {
  if (text !== 'new') return { url: text };
  const { trackers } = await api.call(listTrackers, { params: { id: projectId } });
  const [tracker, ...others] = trackers;
  if (tracker === undefined)
    throw new SourceError('No issue tracker is connected.', 'let the user connect one, or give a URL');
  if (others.length > 0)
    throw new SourceError(
      'Several issue trackers are connected.',
      'let the user run culprit incidents ticket',
    );
  return { tracker_id: tracker.tracker_id };
}

async function assigneeOf(
  api: ServiceCalls,
  projectId: string,
  word: string | null,
): Promise<{ user_id: string } | { team_id: string } | null> {
  if (word === null) return null;
  const everyone = await api.call(listPeople, { params: { id: projectId } });
  const [assignee, ...others] = assigneesNamed(everyone, word);
  if (assignee === undefined)
    throw new SourceError('No person or team of this project has this name.', 'ask the user');
  if (others.length > 0)
    throw new SourceError('Several people or teams have this name.', 'use the handle or the address');
  return assignee;
}
