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
import { ASSIGNEE_WORDS, COMMENT_WORDS, WONT_FIX_WORDS } from '../../api/sync-words.ts';
import { type SyncChange, setSync } from '../../api/trackers.ts';
import { ActionError } from '../../shell/parts/action-error.tsx';
import { showToast } from '../../shell/parts/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/fields/field.tsx';
import { Dialog } from '../../ui/layers/dialog.tsx';
import { DialogForm } from '../../ui/layers/dialog-form.tsx';

type Sync = NonNullable<IncidentLink['sync']>;

/** Sets what crosses between the incident and one of its tickets, otherwise than the tracker does. */
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
        verb="Save sync"
        isBusy={save.isPending}
        refusal={Object.keys(changed).length === 0 ? 'No change' : null}
        onSend={() => save.mutate(changed)}
        onClose={onClose}
      >
        {check('close_on_resolve', 'The resolved incident closes the ticket')}
        {check('reopen_on_regress', 'The incident reopens the ticket when it happens again')}
        {check(
          'resolve_on_close',
          'The closed ticket resolves the incident, and the reopened one reopens it',
        )}
        <SelectField
          label="The ticket closed as not planned"
          value={values.wont_fix}
          onChange={({ target }) => change({ wont_fix: oneOf(WONT_FIX_EFFECTS, target.value) })}
        >
          {WONT_FIX_EFFECTS.map((effect) => (
            <option key={effect} value={effect}>
              {WONT_FIX_WORDS[effect]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="The assignee"
          value={values.assignee}
          onChange={({ target }) => change({ assignee: oneOf(ASSIGNEE_SYNCS, target.value) })}
        >
          {ASSIGNEE_SYNCS.map((direction) => (
            <option key={direction} value={direction}>
              {ASSIGNEE_WORDS[direction]}
            </option>
          ))}
        </SelectField>
        {TICKET_COMMENTS.map((event) => (
          <CheckField
            key={event}
            label={COMMENT_WORDS[event]}
            checked={values.comments.includes(event)}
            onChange={({ target }) => change({ comments: withEvent(values.comments, event, target.checked) })}
          />
        ))}
        {check('notes', 'New notes become comments of the ticket')}
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
