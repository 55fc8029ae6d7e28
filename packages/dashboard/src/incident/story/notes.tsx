import type { Note } from '@culprit/contract/incidents/incident-notes';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { NOTE_LENGTH_MAX } from '@culprit/contract/incidents/triage-words';
import type { People } from '@culprit/contract/workspace/people';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { projectsQuery } from '../../api/projects.ts';
import { peopleQuery, removeNote, sendNote } from '../../api/triage.ts';
import { visibleLine } from '../../format/event-text.ts';
import { Time } from '../../format/time.tsx';
import { useShortcuts } from '../../shell/palette/shortcuts.tsx';
import { ConfirmedAction } from '../../shell/parts/confirmed-action.tsx';
import { refusalFor } from '../../shell/parts/roles.ts';
import { Button } from '../../ui/button.tsx';
import { NoteText } from './note-text/note-text.tsx';
import styles from './notes.module.css';

/** Shows the form for a note about the incident. */
export function NoteComposer({ incident }: { incident: Incident }) {
  const area = useRef<HTMLTextAreaElement>(null);
  useShortcuts('Notes', [{ keys: 'n', label: 'Write a note', run: () => area.current?.focus() }]);
  return <NoteForm incident={incident} note={null} area={area} onDone={() => {}} />;
}

function NoteForm({
  incident,
  note,
  area,
  onDone,
}: {
  incident: Incident;
  /** Null: a new one. */
  note: Note | null;
  area?: React.RefObject<HTMLTextAreaElement | null>;
  onDone: () => void;
}) {
  const [text, setText] = useState(note?.body ?? '');
  const { data: everyone } = useQuery(peopleQuery(incident.project_id));
  const send = useMutation({
    mutationFn: () => sendNote(incident.incident_id, note?.note_id ?? null, text),
    onSuccess: () => {
      setText('');
      onDone();
    },
  });
  const hintId = useId();
  const isEmpty = text.trim() === '';
  const isHintShown = !isEmpty || note !== null;
  const matching = /(?:^|\s)@([a-z0-9._-]*)$/i.exec(text)?.[1]?.toLowerCase() ?? null;
  const offered =
    matching === null
      ? []
      : mentionable(everyone)
          .filter((each) => [each.handle, each.name].some((text) => text.toLowerCase().startsWith(matching)))
          .slice(0, MENTIONS_OFFERED);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && !send.isPending) send.mutate();
      }}
    >
      <textarea
        ref={area}
        className={styles.area}
        aria-label={note === null ? 'Add a note' : 'Edit the note'}
        placeholder="Add a note… @ mentions a person or a team"
        aria-describedby={isHintShown ? hintId : undefined}
        rows={text === '' ? 1 : 3}
        maxLength={NOTE_LENGTH_MAX}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit();
        }}
      />
      {offered.length > 0 && (
        <div className={styles.offered} role="group" aria-label="People and teams to mention">
          {offered.map(({ handle, name }) => (
            <Button
              key={handle}
              kind="quiet"
              onClick={() => {
                setText(text.replace(/@[a-z0-9._-]*$/i, `@${handle} `));
                area?.current?.focus();
              }}
            >
              @{handle} {visibleLine(name)}
            </Button>
          ))}
        </div>
      )}
      {send.isError && (
        <p role="alert" className={styles.error}>
          {problemText(send.error)}
        </p>
      )}
      {isHintShown && (
        <p id={hintId} className={styles.hint}>
          Markdown: **bold**, *italic*, `code`, - lists, &gt; quotes, [links](https://…)
        </p>
      )}
      {isHintShown && (
        <div className={styles.buttons}>
          <Button type="submit" isBusy={send.isPending} refusal={isEmpty ? 'A note needs text' : null}>
            {note === null ? 'Add note' : 'Save note'}
          </Button>
          {note !== null && <Button onClick={onDone}>Cancel</Button>}
        </div>
      )}
    </form>
  );
}

const MENTIONS_OFFERED = 5;

/** Returns the people and teams that can be mentioned, with the words by which they are found. */
function mentionable(everyone: People | undefined): { handle: string; name: string }[] {
  const { people, teams } = everyone ?? { people: [], teams: [] };
  return [
    ...people.map(({ handle, name, email }) => ({ handle, name: name ?? email })),
    ...teams.map(({ slug, name }) => ({ handle: slug, name })),
  ];
}

/** A note in the list of what happened. */
export function NoteEntry({ incident, note }: { incident: Incident; note: Note }) {
  const [mode, setMode] = useState<'shown' | 'edited' | 'deleted'>('shown');
  const { data: everyone } = useQuery(peopleQuery(incident.project_id));
  const { data: projects } = useQuery(projectsQuery);
  const me = everyone?.people.find(({ is_me: isMe }) => isMe)?.user_id ?? null;
  const isMine = note.author !== null && note.author.user_id === me;
  const project = projects?.find(({ project_id: id }) => id === incident.project_id);
  const isAdmin = refusalFor('admin', project) === null;
  const author = visibleLine(
    note.author?.name ?? (note.via === 'tracker' ? 'Issue tracker' : 'A deleted account'),
  );
  if (mode === 'edited')
    return (
      <li className={styles.note}>
        <NoteForm incident={incident} note={note} onDone={() => setMode('shown')} />
      </li>
    );
  return (
    <li className={styles.note}>
      <p className={styles.head}>
        <strong translate="no">{author}</strong>
        {note.via === 'dashboard' || note.via === 'tracker' ? '' : ` via ${note.via}`}
        {note.edited_at === null ? '' : ' · edited'} · <Time iso={note.created_at} />
      </p>
      <NoteText text={note.body ?? ''} />
      {(isMine || isAdmin) && (
        <div className={styles.buttons}>
          {isMine && (
            <Button kind="quiet" onClick={() => setMode('edited')}>
              Edit
            </Button>
          )}
          <Button kind="quiet" onClick={() => setMode('deleted')}>
            Delete
          </Button>
        </div>
      )}
      <ConfirmedAction
        item={mode === 'deleted' ? note : null}
        title="Delete the note"
        verb="Delete note"
        run={({ note_id: id }) => removeNote(incident.incident_id, id)}
        onClose={() => setMode('shown')}
      >
        This cannot be undone.
      </ConfirmedAction>
    </li>
  );
}
