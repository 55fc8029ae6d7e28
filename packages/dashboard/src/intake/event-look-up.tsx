import { type LookupMatch, lookUpId } from '@culprit/contract/incidents/lookup';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { PATTERNS, pathTo } from '../paths.ts';
import { announce } from '../shell/parts/announce.tsx';
import linkStyles from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { Section } from '../ui/section.tsx';
import styles from './event-look-up.module.css';

const route = getRouteApi(`/frame${PATTERNS.intake}`);
const ID_LENGTH_MAX = 200;

/** Shows whether one certain event arrived, and its outcome. */
export function EventLookUp({ projectId }: { projectId: string }) {
  const { id, ...search } = route.useSearch();
  const navigate = useNavigate();
  const [text, setText] = useState(id ?? '');
  return (
    <Section id="look-up" title="Look up an event">
      <form
        className={styles.form}
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = text.trim();
          void navigate({
            to: '.',
            search: wanted === '' ? search : { ...search, id: wanted },
            replace: true,
            resetScroll: false,
          });
        }}
      >
        <TextField
          label="Event, trace, request or session id"
          name="id"
          autoComplete="off"
          spellCheck={false}
          maxLength={ID_LENGTH_MAX}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit">Look up</Button>
      </form>
      {id !== undefined && <Matches key={id} projectId={projectId} id={id} />}
    </Section>
  );
}

function Matches({ projectId, id }: { projectId: string; id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: [lookUpId.id, projectId, id],
    queryFn: async ({ signal }) =>
      (await call(lookUpId, { query: { id, project_id: projectId }, signal })).matches,
    staleTime: 5000,
  });
  useEffect(() => {
    if (data !== undefined) announce(data.length === 0 ? 'No result' : `${data.length} found`);
  }, [data]);
  if (data === undefined) {
    return error === null ? null : <PartError error={error} retry={() => void refetch()} />;
  }
  if (data.length === 0) {
    return (
      <p className={styles.none}>
        Nothing here has <code>{visibleLine(id)}</code>. Event ids are kept for seven days. Rejected and
        filtered events have none.
      </p>
    );
  }
  return (
    <DataTable
      label="Found"
      rows={data}
      keyOf={(match) => `${match.kind} ${match.incident_id} ${match.event_id} ${match.occurred_at}`}
      columns={[
        { title: 'It is', cell: ({ kind }) => <strong>{KIND_WORDS[kind]}</strong> },
        { title: 'When', cell: ({ occurred_at: at }) => <Time iso={at} form="exact" /> },
        { title: 'Belongs to', cell: (match) => <Place match={match} /> },
      ]}
    />
  );
}

const KIND_WORDS: Readonly<Record<LookupMatch['kind'], string>> = {
  incident: 'an incident',
  bundle: 'evidence',
  improvement: 'an insight',
  event: 'an event',
  trace: 'a trace',
  request: 'a request',
  session: 'a session',
};

function Place({ match }: { match: LookupMatch }) {
  const { incident_id: id, improvement_id: improvementId } = match;
  if (id !== null) {
    return (
      <Link className={linkStyles.link} to={pathTo('incident', { id })}>
        Open its incident
      </Link>
    );
  }
  if (improvementId !== null) {
    return (
      <Link className={linkStyles.link} to={pathTo('improvement', { id: improvementId })}>
        Open the insight
      </Link>
    );
  }
  return 'no incident: it was kept as context';
}
