import { TICKET_TITLE_LENGTH_MAX, TRACKER_FACTS } from '@culprit/contract/alerts/tracker-words';
import type { Tracker } from '@culprit/contract/alerts/trackers';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { addLink, trackerName, trackersQuery } from '../../api/trackers.ts';
import { pathTo } from '../../paths.ts';
import link from '../../shell/parts/link.module.css';
import { LoadingPart } from '../../shell/parts/loading-part.tsx';
import { showToast } from '../../shell/parts/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { Actions, Dialog } from '../../ui/layers/dialog.tsx';
import { DialogForm } from '../../ui/layers/dialog-form.tsx';

/** Creates a ticket, or links one that exists; an address that is no ticket needs no tracker. */
export function TicketDialog({
  incident,
  mode,
  onClose,
}: {
  incident: Incident;
  mode: 'create' | 'link';
  onClose: () => void;
}) {
  const { data, error, refetch } = useQuery(trackersQuery(incident.project_id));
  const title = mode === 'create' ? 'Create ticket' : 'Link ticket';
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {data === undefined ? (
        <LoadingPart error={error} retry={refetch} rows={2} />
      ) : data.length === 0 && mode === 'create' ? (
        <NoTracker incident={incident} onClose={onClose} />
      ) : (
        <TicketForm
          incident={incident}
          mode={mode}
          // Tickets of a custom tracker cannot be read, so they are linked by their address.
          trackers={data.filter(({ kind }) => mode === 'create' || kind !== 'generic')}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function NoTracker({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  return (
    <>
      <p>
        No issue tracker is connected.{' '}
        <Link className={link.link} to={pathTo('trackers', { pid: incident.project_id })}>
          Connect one
        </Link>
      </p>
      <Actions>
        <Button onClick={onClose}>Close</Button>
      </Actions>
    </>
  );
}

function TicketForm({
  incident,
  mode,
  trackers,
  onClose,
}: {
  incident: Incident;
  mode: 'create' | 'link';
  trackers: readonly Tracker[];
  onClose: () => void;
}) {
  const [trackerId, setTrackerId] = useState(trackers[0]?.tracker_id ?? '');
  const [text, setText] = useState('');
  const given = text.trim();
  const tracker = trackers.find(({ tracker_id: id }) => id === trackerId);
  const save = useMutation({
    mutationFn: () => {
      if (mode === 'create') {
        return addLink(incident.incident_id, {
          tracker_id: trackerId,
          ...(given === '' ? {} : { title: given }),
        });
      }
      return addLink(
        incident.incident_id,
        tracker === undefined ? { url: given } : { tracker_id: trackerId, key: given },
      );
    },
    onSuccess: ({ key, url }) => {
      showToast(mode === 'create' ? 'The ticket is being created' : `Linked ${key ?? url ?? ''}`);
      onClose();
    },
  });
  const isEmpty = mode === 'link' && given === '';
  return (
    <DialogForm
      verb={mode === 'create' ? 'Create ticket' : 'Link ticket'}
      isBusy={save.isPending}
      refusal={isEmpty ? 'Name the ticket first' : null}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="Issue tracker"
        value={trackerId}
        onChange={({ target }) => setTrackerId(target.value)}
      >
        {trackers.map((each) => (
          <option key={each.tracker_id} value={each.tracker_id}>
            {trackerName(each)}
          </option>
        ))}
        {mode === 'link' && <option value="">None: any web address</option>}
      </SelectField>
      {mode === 'create' ? (
        <TextField
          label="Title"
          hint="Optional; the title of the incident by default. The ticket has its stack and a link to this page"
          autoComplete="off"
          maxLength={TICKET_TITLE_LENGTH_MAX}
          value={text}
          onChange={({ target }) => setText(target.value)}
          error={save.isError ? problemText(save.error) : null}
        />
      ) : (
        <TextField
          label={tracker === undefined ? 'Address' : 'Key or address'}
          hint={tracker === undefined ? 'Begins with https://' : `Such as ${keyExample(tracker)}`}
          autoFocus
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          error={save.isError ? problemText(save.error) : null}
        />
      )}
    </DialogForm>
  );
}

function keyExample({ kind, target }: Tracker): string {
  return TRACKER_FACTS[kind].example.includes('/') ? `${target}#12` : `${target}-12`;
}
