import {
  type previewGrouping as endpoint,
  GROUPING_PREVIEW_LIMITS,
  type GroupingPreview,
} from '@culprit/contract/incidents/grouping-preview';
import { readStackRules } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { prefixedId } from '../../../platform/ids.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findGroupingSettings } from '../../../workspace/projects/grouping-settings.queries.ts';
import { findTitles } from './aliases.queries.ts';
import { compareGroups } from './compare-groups.ts';
import { groupHistory, type HistoryBounds, type HistoryParts, REQUEST_BOUNDS } from './group-history.ts';

/**
 * Groups the signals of the last hours again, by other stack rules, in addition to their present groups. The work is
 * bounded in events, bytes and time; a preview beyond the bounds is marked as incomplete.
 */
export async function previewGrouping(
  parts: HistoryParts,
  { access, body }: Pick<ApiRequest<typeof endpoint, undefined>, 'body'> & { access: { projectId: string } },
  bounds: HistoryBounds = REQUEST_BOUNDS,
): Promise<GroupingPreview> {
  const { database } = parts;
  const { projectId } = access;
  const { stackRules } = await findGroupingSettings(database, projectId);
  const { events, isComplete } = await groupHistory(
    parts,
    { projectId, hours: body.hours, bounds },
    stackRules,
    { stackRules: body.stack_rules === undefined ? stackRules : readStackRules(body.stack_rules) },
  );
  const { merges, splits } = compareGroups(events, GROUPING_PREVIEW_LIMITS.samples);
  const shown = {
    merges: merges.slice(0, GROUPING_PREVIEW_LIMITS.changes),
    splits: splits.slice(0, GROUPING_PREVIEW_LIMITS.changes),
  };
  const titles = await findTitles(database, [
    ...shown.merges.flatMap(({ incidents }) => incidents.map(({ incidentId }) => incidentId)),
    ...shown.splits.map(({ incidentId }) => incidentId),
  ]);
  const incident = (incidentId: string, events: number) => ({
    incident_id: prefixedId('inc', incidentId),
    title: titles.get(incidentId) ?? '',
    events,
  });
  return {
    events_seen: events.length,
    incidents_seen: new Set(events.map(({ incidentId }) => incidentId)).size,
    merge_count: merges.length,
    merges: shown.merges.map(({ incidents, events, samples }) => ({
      incidents: incidents
        .slice(0, GROUPING_PREVIEW_LIMITS.incidents)
        .map((each) => incident(each.incidentId, each.events)),
      events,
      samples,
    })),
    split_count: splits.length,
    splits: shown.splits.map(({ incidentId, events, groups, samples }) => ({
      incident: incident(incidentId, events),
      groups,
      samples,
    })),
    is_complete: isComplete,
  };
}
