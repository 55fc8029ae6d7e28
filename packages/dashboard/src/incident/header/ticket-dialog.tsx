import {
  TICKET_LABELS_MAX,
  TICKET_TITLE_LENGTH_MAX,
  TRACKER_FACTS,
} from '@culprit/contract/alerts/tracker-words';
import type { FoundTicket, Tracker, TrackerFields } from '@culprit/contract/alerts/trackers';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import {
  addLink,
  trackerFieldsQuery,
  trackerName,
  trackersQuery,
  trackerTicketsQuery,
} from '../../api/trackers.ts';
import { visibleLine } from '../../format/event-text.ts';
import { pathTo } from '../../paths.ts';
import link from '../../shell/parts/link.module.css';
import { LoadingPart } from '../../shell/parts/loading-part.tsx';
import { showToast } from '../../shell/parts/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { NamesField } from '../../ui/fields/names-field.tsx';
import { useSettled } from '../../ui/fields/use-settled.ts';
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
  const [labels, setLabels] = useState<string[]>([]);
  const [priority, setPriority] = useState('');
  const given = text.trim();
  const tracker = trackers.find(({ tracker_id: id }) => id === trackerId);
  const search = useSettled(given);
  const found = useQuery({
    ...trackerTicketsQuery(incident.project_id, mode === 'link' ? tracker : undefined, search),
    placeholderData: keepPreviousData,
  });
  const fields = useQuery(trackerFieldsQuery(incident.project_id, mode === 'create' ? tracker : undefined));
  const { priorities = [], labels: known = [] } = fields.data ?? {};
  const listId = useId();
  const save = useMutation({
    mutationFn: () => {
      if (mode === 'create') {
        return addLink(incident.incident_id, {
          tracker_id: trackerId,
          ...(given === '' ? {} : { title: given }),
          ...(labels.length === 0 ? {} : { labels: idsOf(known, labels) }),
          ...(priority === '' ? {} : { priority }),
        });
      }
      return addLink(
        incident.incident_id,
        tracker === undefined
          ? { url: given }
          : { tracker_id: trackerId, key: keyOf(found.data ?? [], given) },
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
      refusal={isEmpty ? 'Enter a title first' : null}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="Issue tracker"
        value={trackerId}
        onChange={({ target }) => {
          setTrackerId(target.value);
          setLabels([]);
          setPriority('');
        }}
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
          label={tracker === undefined ? 'Address' : 'Key, address or title'}
          hint={
            tracker === undefined
              ? 'Begins with https://'
              : `Such as ${keyExample(tracker)}, or a part of the title to choose from`
          }
          list={listId}
          autoFocus
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          error={save.isError ? problemText(save.error) : null}
        />
      )}
      {mode === 'link' && (
        <datalist id={listId}>
          {(found.data ?? []).map(({ key, title, state }) => (
            <option key={key} value={key}>
              {`${visibleLine(title ?? '')} (${state})`}
            </option>
          ))}
        </datalist>
      )}
      {mode === 'create' && priorities.length > 0 && (
        <SelectField label="Priority" value={priority} onChange={({ target }) => setPriority(target.value)}>
          <option value="">default of the tracker</option>
          {priorities.map(({ id, name }) => (
            <option key={id} value={id}>
              {visibleLine(name)}
            </option>
          ))}
        </SelectField>
      )}
      {mode === 'create' && known.length > 0 && (
        <NamesField
          label="Labels"
          hint="Optional"
          addLabel="Another label"
          known={known.map(({ name }) => name)}
          names={labels}
          max={TICKET_LABELS_MAX}
          problemOf={(name) =>
            known.some((each) => each.name === name) ? null : 'Choose a label of the tracker'
          }
          show={visibleLine}
          onChange={setLabels}
        />
      )}
    </DialogForm>
  );
}

/** The key of the ticket whose title was typed whole; else what was typed. */
function keyOf(tickets: readonly FoundTicket[], text: string): string {
  return tickets.find(({ title }) => title === text)?.key ?? text;
}

function idsOf(known: TrackerFields['labels'], names: readonly string[]): string[] {
  return known.flatMap(({ id, name }) => (names.includes(name) ? [id] : []));
}

function keyExample({ kind, target }: Tracker): string {
  return TRACKER_FACTS[kind].example.includes('/') ? `${target}#12` : `${target}-12`;
}
