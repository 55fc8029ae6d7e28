import {
  ASSIGNEE_SYNCS,
  LINK_SYNC_FIELDS,
  TICKET_COMMENTS,
  type TicketComments,
  WONT_FIX_EFFECTS,
} from '@culprit/contract/alerts/tracker-words';
import type { IncidentLink } from '@culprit/contract/incidents/incident-links';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { COMMENT_WORDS } from '../../api/sync-words.ts';
import { type SyncChange, setSync } from '../../api/trackers.ts';
import { ActionError } from '../../shell/parts/action-error.tsx';
import { AssigneeField, WontFixField } from '../../shell/parts/sync-fields.tsx';
import { showToast } from '../../shell/parts/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField } from '../../ui/fields/field.tsx';
import { Dialog } from '../../ui/layers/dialog.tsx';
import { DialogForm } from '../../ui/layers/dialog-form.tsx';

type Sync = NonNullable<IncidentLink['sync']>;

/** Sets what is synchronized between an incident and one of its tickets, in place of the settings of the tracker. */
export function TicketSyncDialog({
  ticket,
  sync,
  name,
  onClose,
}: {
  ticket: IncidentLink;
  sync: Sync;
  name: string;
  onClose: () => void;
}) {
  const [values, setValues] = useState(sync);
  const change = (changed: Partial<Sync>) => setValues((before) => ({ ...before, ...changed }));
  const save = useMutation({
    mutationFn: (changed: SyncChange) => setSync(ticket.incident_id, ticket.link_id, changed),
    onSuccess: () => {
      showToast('Saved');
      onClose();
    },
  });
  const changed = changesOf(sync, values);
  const check = (
    field: 'close_on_resolve' | 'reopen_on_regress' | 'resolve_on_close' | 'notes',
    label: string,
  ) => (
    <CheckField
      label={label}
      checked={values[field]}
      onChange={({ target }) => change({ [field]: target.checked })}
    />
  );
  return (
    <Dialog title={`Sync settings of ${name}`} isOpen onClose={onClose}>
      <DialogForm
        verb="Save settings"
        isBusy={save.isPending}
        refusal={Object.keys(changed).length === 0 ? 'No change' : null}
        onSend={() => save.mutate(changed)}
        onClose={onClose}
      >
        {check('close_on_resolve', 'Close the ticket when the incident is resolved')}
        {check('reopen_on_regress', 'Reopen the ticket when the incident happens again')}
        {check(
          'resolve_on_close',
          'Resolve the incident when the ticket is closed, and reopen it when the ticket is reopened',
        )}
        <WontFixField
          value={values.wont_fix}
          onChange={({ target }) => change({ wont_fix: oneOf(WONT_FIX_EFFECTS, target.value) })}
        />
        <AssigneeField
          value={values.assignee}
          onChange={({ target }) => change({ assignee: oneOf(ASSIGNEE_SYNCS, target.value) })}
        />
        {TICKET_COMMENTS.map((event) => (
          <CheckField
            key={event}
            label={COMMENT_WORDS[event]}
            checked={values.comments.includes(event)}
            onChange={({ target }) => change({ comments: withEvent(values.comments, event, target.checked) })}
          />
        ))}
        {check('notes', 'Add new notes as comments to the ticket')}
        {ticket.own_sync.length > 0 && (
          <Button
            isBusy={save.isPending}
            onClick={() => save.mutate(Object.fromEntries(ticket.own_sync.map((field) => [field, null])))}
          >
            Use the settings of the tracker
          </Button>
        )}
        <ActionError error={save.error} />
      </DialogForm>
    </Dialog>
  );
}

/** The fields of the form that are not as they were. */
function changesOf(before: Sync, now: Sync): SyncChange {
  const changed = LINK_SYNC_FIELDS.filter((field) => String(before[field]) !== String(now[field]));
  return Object.fromEntries(changed.map((field) => [field, now[field]]));
}

function withEvent(events: readonly TicketComments[], event: TicketComments, isSaid: boolean) {
  return TICKET_COMMENTS.filter((each) => (each === event ? isSaid : events.includes(each)));
}

function oneOf<Word extends string>(words: readonly [Word, ...Word[]], value: string): Word {
  return words.find((each) => each === value) ?? words[0];
}
