import { previewSnooze, type SnoozeRequest } from '@culprit/contract/incidents/incident-snooze';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, serverNow } from '../../api/transport.ts';
import { fullCount, plural } from '../../format/numbers.ts';
import { absoluteTime } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/fields/field.tsx';
import { Actions, Dialog } from '../../ui/layers/dialog.tsx';
import { snoozeIncidents } from './change-triage.ts';

const DAY_MS = 86_400_000;
const DAYS_MAX = 365;

/** A snooze with conditions of one's own, and what it would have done. */
export function SnoozeDialog({
  incidents,
  onClose,
}: {
  incidents: readonly Incident[];
  onClose: () => void;
}) {
  const [days, setDays] = useState('7');
  const [occurrences, setOccurrences] = useState('');
  const [users, setUsers] = useState('');
  const [isRelease, setRelease] = useState(false);
  const [wakes, setWakes] = useState(true);
  const [reason, setReason] = useState('');
  const [now] = useState(serverNow);
  const fault = faultOf(days, occurrences, users);
  const asked: SnoozeRequest = {
    until: new Date(now + Number(days) * DAY_MS || now).toISOString(),
    ...(occurrences === '' ? {} : { for_occurrences: Number(occurrences) }),
    ...(users === '' ? {} : { for_users: Number(users) }),
    ...(isRelease ? { until_next_release: true } : {}),
    wakes_on_escalation: wakes,
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  };
  return (
    <Dialog title={`Snooze ${plural(incidents.length, 'incident')}`} isOpen onClose={onClose}>
      <TextField
        label="Days"
        inputMode="numeric"
        value={days}
        onChange={({ target }) => setDays(target.value)}
        hint={`At most ${DAYS_MAX}. The first condition that is met wakes it.`}
        error={fault}
      />
      <TextField
        label="Events until it wakes"
        inputMode="numeric"
        value={occurrences}
        onChange={({ target }) => setOccurrences(target.value)}
      />
      <TextField
        label="Users until it wakes"
        inputMode="numeric"
        value={users}
        onChange={({ target }) => setUsers(target.value)}
      />
      <CheckField
        label="Wake with the first event after the next deploy"
        checked={isRelease}
        onChange={({ target }) => setRelease(target.checked)}
      />
      <CheckField
        label="Wake when it escalates"
        hint="A spike, a higher severity, or ten times the events per hour."
        checked={wakes}
        onChange={({ target }) => setWakes(target.checked)}
      />
      <TextField
        label="Reason"
        maxLength={500}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      {incidents.length === 1 && fault === null && (
        <Played id={incidents[0]?.incident_id ?? ''} asked={asked} />
      )}
      <Actions>
        <Button
          kind="primary"
          refusal={fault}
          onClick={() => {
            snoozeIncidents(incidents, asked, `until ${absoluteTime(asked.until)} at the latest`);
            onClose();
          }}
        >
          Snooze {plural(incidents.length, 'incident')}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Actions>
    </Dialog>
  );
}

/** Shows the effect that the snooze would have had in the last days. */
function Played({ id, asked }: { id: string; asked: SnoozeRequest }) {
  const { reason: _reason, ...body } = asked;
  const { data } = useQuery({
    queryKey: [previewSnooze.id, id, body],
    queryFn: async ({ signal }) => await call(previewSnooze, { params: { id }, body, signal }),
  });
  if (data === undefined) return null;
  const { hidden, would_have_woken: woken } = data;
  return (
    <p role="status">
      In the last 30 days it would have hidden {fullCount(hidden)} events and woken{' '}
      {woken.length === 1 ? 'once' : `${woken.length} times`}.
    </p>
  );
}

function faultOf(days: string, occurrences: string, users: string): string | null {
  const isWhole = (text: string, max: number) =>
    /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= max;
  if (!isWhole(days, DAYS_MAX)) return `Days must be a whole number from 1 to ${DAYS_MAX}`;
  if (occurrences !== '' && !isWhole(occurrences, 1_000_000)) return 'Events must be a whole number';
  return users === '' || isWhole(users, 100_000) ? null : 'Users must be a whole number';
}
