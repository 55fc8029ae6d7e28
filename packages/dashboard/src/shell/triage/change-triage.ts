import type { SnoozeRequest } from '@culprit/contract/incidents/incident-snooze';
import type { TriageChange } from '@culprit/contract/incidents/incident-triage';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { problemText } from '../../api/problem-words.ts';
import { setTriage, snooze, wake } from '../../api/triage.ts';
import { plural } from '../../format/numbers.ts';
import { dropToast, showToast } from '../parts/toasts.tsx';
import { offerUndo, withdrawUndo } from './change-status.ts';

const UNDO_MS = 8000;

/** Sends a change, says what came of it, and offers the way back. */
async function send(done: string, change: () => Promise<void>, undo: (() => Promise<void>) | null) {
  try {
    await change();
    if (undo !== null) {
      const run = () => {
        withdrawUndo(run);
        dropToast(toast);
        void send('Undone', undo, null);
      };
      offerUndo(run);
      const toast = showToast(done, {
        lastsMs: UNDO_MS,
        action: { label: 'Undo', keys: 'Z', onChoose: run },
        onGone: () => withdrawUndo(run),
      });
      return;
    }
    showToast(done);
  } catch (error) {
    showToast(`Nothing was changed. ${problemText(error)}`, { lastsMs: null });
  }
}

const idsOf = (incidents: readonly Incident[]) => incidents.map(({ incident_id: id }) => id);

/** Assigns incidents or sets their priority. */
export function changeTriage(incidents: readonly Incident[], set: TriageChange, done: string): void {
  const [only] = incidents;
  const before = only === undefined || incidents.length > 1 ? null : priorOf(only, set);
  void send(
    done,
    () => setTriage(idsOf(incidents), set),
    before === null ? null : () => setTriage(idsOf(incidents), before),
  );
}

/** Returns the change that undoes a change of one incident. */
function priorOf({ triage }: Incident, set: TriageChange): TriageChange {
  const { assignee, priority } = triage;
  if (set.priority !== undefined) return { priority: priority.is_manual ? priority.level : null };
  if (assignee === null) return { assignee: null };
  return { assignee: assignee.kind === 'user' ? { user_id: assignee.id } : { team_id: assignee.id } };
}

/** Snoozes incidents; resolved ones among them stay. */
export function snoozeIncidents(incidents: readonly Incident[], asked: SnoozeRequest, until: string): void {
  const able = incidents.filter(({ status }) => status !== 'resolved');
  if (able.length === 0) {
    showToast('Resolved incidents cannot be snoozed. Reopen them first.');
    return;
  }
  const done = `Snoozed ${plural(able.length, 'incident')} ${until}`;
  void send(
    done,
    () => snooze(idsOf(able), asked),
    () => wake(idsOf(able)),
  );
}

export function wakeIncidents(incidents: readonly Incident[]): void {
  void send(`Woke ${plural(incidents.length, 'incident')}`, () => wake(idsOf(incidents)), null);
}
