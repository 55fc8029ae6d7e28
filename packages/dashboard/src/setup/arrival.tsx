import { listDsnKeys } from '@culprit/contract/events/dsn-keys';
import { listEventFates } from '@culprit/contract/events/event-fates';
import { listIncidents } from '@culprit/contract/incidents/incidents';
import { listProjectTokens } from '@culprit/contract/workspace/tokens';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { bundleQuery } from '../api/incidents.ts';
import { useFeature } from '../api/server.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { pathTo } from '../paths.ts';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { announce } from '../shell/parts/announce.tsx';
import { PriorityMark } from '../shell/triage/severity.tsx';
import styles from './arrival.module.css';

const LOOK_EVERY_MS = 1000;
const LOOK_SELDOM_MS = 5000;
const LOOK_OFTEN_FOR_MS = 10 * 60_000;
const TROUBLE_AFTER_S = 30;

/** The sender's credential: a token, or the key of a DSN. */
interface Sender {
  projectId: string;
  /** Null: any of the project. */
  tokenId: string | null;
  isOfDsn: boolean;
}

/** Shows the progress of the first event, and possible faults when it does not arrive. */
export function Arrival({ projectId, tokenId, isOfDsn }: Sender) {
  const seconds = useSeconds();
  const navigate = useNavigate();
  const every = seconds * 1000 < LOOK_OFTEN_FOR_MS ? LOOK_EVERY_MS : LOOK_SELDOM_MS;
  const { data: incidents = [] } = useQuery({
    queryKey: ['first-incident', projectId],
    queryFn: async ({ signal }) => {
      // More than the sample data have.
      const query = { project_id: projectId, limit: 20 };
      const { incidents } = await call(listIncidents, { query, signal });
      return incidents.filter((incident) => !incident.is_sample);
    },
    staleTime: 0,
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? false : every),
  });
  const [first] = incidents;
  const isHere = first !== undefined;
  const { data: hasArrived = false } = useQuery({
    queryKey: ['token-used', projectId, isOfDsn, tokenId],
    queryFn: async ({ signal }) => {
      const asked = { params: { id: projectId }, query: { limit: 100 }, signal };
      const tokens = isOfDsn
        ? (await call(listDsnKeys, asked)).keys
        : (await call(listProjectTokens, asked)).tokens;
      return tokens.some(
        ({ token_id: id, last_used_at: at }) => at !== null && (tokenId === null || id === tokenId),
      );
    },
    enabled: !isHere,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data === true ? false : every),
  });
  const { data: bundle } = useQuery({ ...bundleQuery(first?.incident_id ?? ''), enabled: isHere });
  const isReady = bundle !== undefined && 'bundle_version' in bundle;
  const open = () => {
    if (first !== undefined) void navigate({ to: pathTo('incident', { id: first.incident_id }) });
  };
  useShortcuts('First event', [{ keys: 'Enter', label: 'Open the incident', run: open }]);
  useEffect(() => {
    if (isReady) announce('The first incident is here, with its evidence. Enter opens it.');
  }, [isReady]);
  const stages: [string, boolean][] = [
    ['Received', hasArrived || isHere],
    ['Accepted', isHere],
    ['Grouped', isHere],
    ['Ready', isReady],
  ];
  return (
    <div className={styles.arrival}>
      <ol className={styles.stages}>
        {stages.map(([words, isDone]) => (
          <li key={words} data-done={isDone}>
            {words}
            <span className="visually-hidden">{isDone ? ', done' : ', not yet'}</span>
          </li>
        ))}
      </ol>
      {first === undefined ? (
        <p className={styles.waiting} aria-hidden="true">
          Waiting for your first event… {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
        </p>
      ) : (
        <Link className={styles.first} to={pathTo('incident', { id: first.incident_id })}>
          <PriorityMark priority={first.triage.priority} />
          <span translate="no">{visibleLine(first.title)}</span>
        </Link>
      )}
      {!isHere && seconds >= TROUBLE_AFTER_S && <Trouble projectId={projectId} hasArrived={hasArrived} />}
    </div>
  );
}

/** Explains an event that does not become an incident. */
function Trouble({ projectId, hasArrived }: { projectId: string; hasArrived: boolean }) {
  const hasFates = useFeature('event_fates');
  const { data } = useQuery({
    queryKey: [listEventFates.id, projectId, 'setup'],
    queryFn: async ({ signal }) => (await call(listEventFates, { params: { id: projectId }, signal })).totals,
    enabled: hasFates && hasArrived,
    refetchInterval: LOOK_SELDOM_MS,
  });
  if (!hasArrived) {
    return (
      <p className={styles.trouble}>
        No event has arrived. Check that <code>{location.origin}</code> is reachable from your application and
        that it uses the token above. A wrong token gets <code>401</code>.
      </p>
    );
  }
  const refused =
    data === undefined
      ? []
      : Object.entries(data).filter(([word, number]) => number > 0 && word !== 'submitted');
  return (
    <p className={styles.trouble}>
      A request arrived but created no incident.
      {refused.length > 0 &&
        ` Outcomes: ${refused.map(([word, number]) => `${number} ${word.replaceAll('_', ' ')}`).join(', ')}.`}{' '}
      An exception, a failed request or a log line of level error opens an incident.
    </p>
  );
}

function useSeconds(): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const begin = Date.now();
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - begin) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}
