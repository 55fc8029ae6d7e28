import {
  getIncidentGrouping,
  mergeIncidents,
  splitIncident,
} from '@culprit/contract/incidents/incident-grouping';
import { getIncidentHistory } from '@culprit/contract/incidents/incident-history';
import { listSimilarIncidents } from '@culprit/contract/incidents/incident-similar';
import { getIncident, listIncidents } from '@culprit/contract/incidents/incidents';
import { problemText } from '../../api/problem-words.ts';
import { queryClient } from '../../api/query-client.ts';
import { call } from '../../api/transport.ts';
import { plural } from '../../format/numbers.ts';
import { showToast } from '../parts/toasts.tsx';

const UNDO_MS = 10_000;
const PROBLEM_MS = 10_000;
const CHANGED = [getIncident, getIncidentGrouping, getIncidentHistory, listSimilarIncidents, listIncidents];

/** Merges incidents into the one that was seen first, and offers to take the others out again. */
export async function mergeWithUndo(ids: readonly string[]): Promise<void> {
  try {
    const { grouping } = await call(mergeIncidents, { body: { incident_ids: [...ids] } });
    const others = ids.filter((id) => id !== grouping.incident_id);
    await readAgain();
    showToast(`Merged ${plural(ids.length, 'incident')} into the oldest of them`, {
      lastsMs: UNDO_MS,
      action: { label: 'Undo', onChoose: () => void takeOut(grouping.incident_id, others) },
    });
  } catch (problem) {
    showToast(`Nothing was merged. ${problemText(problem)}`, { lastsMs: PROBLEM_MS });
  }
}

/** Takes incidents out again of the one that they were merged into. */
export async function takeOut(from: string, ids: readonly string[]): Promise<void> {
  try {
    await call(splitIncident, { params: { id: from }, body: { incident_ids: [...ids] } });
    await readAgain();
    showToast(`Removed ${plural(ids.length, 'incident')} from the group`, {
      lastsMs: UNDO_MS,
      action: { label: 'Merge again', onChoose: () => void mergeWithUndo([from, ...ids]) },
    });
  } catch (problem) {
    showToast(`Nothing was removed. ${problemText(problem)}`, { lastsMs: PROBLEM_MS });
  }
}

/** Closes a slot permanently: the incidents that it merged become separate again. */
export async function closeSlot(from: string, slotId: string): Promise<void> {
  try {
    await call(splitIncident, { params: { id: from }, body: { slot_ids: [slotId] } });
    await readAgain();
    showToast('These messages will stay separate', { lastsMs: UNDO_MS });
  } catch (problem) {
    showToast(`Nothing was split. ${problemText(problem)}`, { lastsMs: PROBLEM_MS });
  }
}

async function readAgain(): Promise<void> {
  await Promise.all(CHANGED.map(({ id }) => queryClient.invalidateQueries({ queryKey: [id] })));
}
