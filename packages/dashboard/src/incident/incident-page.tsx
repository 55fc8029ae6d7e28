import '../api/screen-problem-words.ts';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { commitOf, repositoryOf } from '@culprit/contract/releases/repository-links';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, useEffect, useRef, useState } from 'react';
import { bundleQuery, incidentLogsQuery, incidentQuery } from '../api/incidents.ts';
import { projectQuery } from '../api/projects.ts';
import { useFeature } from '../api/server.ts';
import { asShown, heldStatuses } from '../api/status-changes.ts';
import { tagsQuery } from '../api/tags.ts';
import { visibleLine } from '../format/event-text.ts';
import { pathTo } from '../paths.ts';
import { Breadcrumb } from '../shell/frame/breadcrumb.tsx';
import { PageTitle } from '../shell/frame/page.tsx';
import { useProjectOfRecord } from '../shell/frame/project-of-screen.ts';
import { announce } from '../shell/parts/announce.tsx';
import { LazyPart } from '../shell/parts/lazy-part.tsx';
import linkStyles from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { Button } from '../ui/button.tsx';
import { SkeletonBar, SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSignal } from '../ui/signal.ts';
import { eventQuery, useChosenEvent } from './event/chosen-event.ts';
import { EventSwitcher } from './event/event-switcher.tsx';
import { UsedUpAllowance } from './event/used-up-allowance.tsx';
import { Facts } from './evidence/facts.tsx';
import { Figures } from './evidence/figures.tsx';
import { Known } from './evidence/known.tsx';
import { Neighbours } from './evidence/neighbours.tsx';
import { WhoAndWhere } from './evidence/who-and-where.tsx';
import { IncidentActions } from './header/incident-actions.tsx';
import { IncidentHeader } from './header/incident-header.tsx';
import { Tickets } from './header/tickets.tsx';
import styles from './incident-page.module.css';
import { usePartKeys } from './part-keys.ts';
import { stackOfBundle, stackOfEvent } from './stack/frames.ts';
import { Stack } from './stack/stack.tsx';
import { Activity } from './story/history-section.tsx';
import { useFragment } from './use-fragment.ts';

const BelowStack = lazy(async () => ({ default: (await import('./stack/below-stack.tsx')).BelowStack }));

/** One incident: what broke, since when, whom it hits, where in the code, and what to do about it. */
export function IncidentPage() {
  const { id = '' } = useParams({ strict: false });
  const incident = useQuery(incidentQuery(id));
  const bundle = useQuery(bundleQuery(id));
  const navigate = useNavigate();
  const held = useSignal(heldStatuses);
  const aimed = useFragment();
  usePartKeys();
  const data = incident.data === undefined ? undefined : asShown(incident.data, held);
  useProjectOfRecord(data?.project_id);
  const ownId = data?.incident_id;
  useEffect(() => {
    // The id of its bundle leads here too; the address that people copy is the incident's own.
    if (ownId !== undefined && ownId !== id) {
      void navigate({
        to: pathTo('incident', { id: ownId }),
        search: (before: object) => before,
        hash: true,
        replace: true,
      });
    }
  }, [ownId, id, navigate]);

  if (incident.isError && data === undefined) {
    return (
      <div className={styles.page}>
        <PageTitle title="Incident" windowTitle="Incident" />
        <PartError error={incident.error} retry={() => void incident.refetch()} />
        <Link className={linkStyles.link} to={pathTo('home')}>
          Go to incidents
        </Link>
      </div>
    );
  }
  const document = documentOf(bundle.data);
  return (
    <>
      <Breadcrumb>
        {data !== undefined && <Link to={pathTo('incidents', { pid: data.project_id })}>Incidents</Link>}
        <span>{data === undefined ? '' : visibleLine(data.title)}</span>
      </Breadcrumb>
      <div
        className={styles.page}
        data-aimed={aimed === null ? undefined : RAIL_PARTS.has(aimed) ? 'rail' : 'main'}
      >
        <div className={styles.bar}>
          {data !== undefined && (
            <Link className={styles.back} to={pathTo('incidents', { pid: data.project_id })}>
              ‹ Incidents
            </Link>
          )}
          <Neighbours id={ownId ?? id} />
          {data !== undefined && <IncidentActions incident={data} bundle={document} />}
        </div>
        {data === undefined ? (
          <SkeletonRows rows={4} height="28px" />
        ) : (
          <IncidentHeader incident={data} bundle={document} />
        )}
        {bundle.isError && <PartError error={bundle.error} retry={() => void bundle.refetch()} />}
        {data !== undefined && bundle.data !== undefined && (
          <Evidence key={data.incident_id} incident={data} answer={bundle.data} />
        )}
        {data !== undefined && bundle.isPending && <AwaitedEvidence />}
      </div>
    </>
  );
}

/** The shape of figures, facts, stack and rail. */
function AwaitedEvidence() {
  return (
    <div className={styles.columns}>
      <div className={styles.first}>
        <SkeletonBar width="100%" height="218px" />
        <SkeletonRows rows={4} height="28px" />
        <SkeletonRows rows={6} height="30px" />
      </div>
      <div className={styles.rail}>
        <SkeletonRows rows={RAIL_ROWS} height="28px" />
      </div>
    </div>
  );
}

type BundleAnswer = DebugBundle | { status: 'pending' } | { status: 'failed'; reason: string };

/** The document of an answer; null while there is none. */
function documentOf(answer: BundleAnswer | undefined): DebugBundle | null {
  return answer !== undefined && 'bundle_version' in answer ? answer : null;
}

function Evidence({ incident, answer }: { incident: Incident; answer: BundleAnswer }) {
  const { eventId } = useChosenEvent();
  const newest = documentOf(answer);
  const [shown, setShown] = useState(newest);
  const version = newest?.metadata.generation_number ?? 0;
  const isNewer = shown !== null && version > shown.metadata.generation_number;
  // The first evidence shows by itself; newer evidence is offered, and never swapped under the reader.
  useEffect(() => setShown((before) => before ?? newest), [newest]);
  const wasAwaited = useRef(newest === null);
  useEffect(() => {
    if (isNewer) announce(`There is newer evidence, version ${version}`);
    else if (wasAwaited.current && shown !== null) announce('The evidence is ready');
  }, [isNewer, version, shown]);
  const bundle = shown ?? newest;
  const events = useInfiniteQuery({ ...incidentLogsQuery(incident.incident_id), refetchInterval: false });
  const latestId = events.data?.pages[0]?.logs[0]?.event_id ?? null;
  // Until there is evidence the latest event shows what it carries itself.
  const readId = eventId ?? (bundle === null ? latestId : null);
  const detail = useQuery({ ...eventQuery(incident.incident_id, readId ?? ''), enabled: readId !== null });
  const event = readId === null ? null : (detail.data?.event ?? null);
  const stack =
    event !== null ? stackOfEvent(event.payload, event) : bundle === null ? null : stackOfBundle(bundle);
  const { data: project } = useQuery(projectQuery(incident.project_id));
  return (
    <>
      {isNewer && (
        <p className={styles.newer}>
          <Button onClick={() => setShown(newest)}>Show newer evidence, version {version}</Button>
        </p>
      )}
      <div className={styles.columns}>
        <div className={styles.first}>
          <Figures incident={incident} bundle={bundle} />
          {bundle === null ? (
            <NoEvidence answer={answer} projectId={incident.project_id} />
          ) : (
            <Known incident={incident} bundle={bundle} />
          )}
          <div className={styles.event}>
            <EventSwitcher incident={incident} bundle={bundle} />
            {detail.error !== null && readId !== null && detail.data === undefined && (
              <PartError error={detail.error} retry={() => void detail.refetch()} />
            )}
            {readId !== null && detail.isPending && <SkeletonRows rows={4} height="30px" />}
            {stack !== null && (
              <Stack
                key={readId}
                stack={stack}
                commit={bundle === null ? null : commitOf(bundle)}
                repository={repositoryOf(project?.repositories ?? [], incident.service_name ?? '')}
                projectId={incident.project_id}
              />
            )}
          </div>
        </div>
        <Rail incident={incident} bundle={bundle} />
        <div className={styles.rest}>
          <LazyPart>
            <BelowStack incident={incident} bundle={bundle} event={event} />
          </LazyPart>
        </div>
      </div>
    </>
  );
}

/**
 * Shows the parts beside the stack. The height of the first depends on the number of tags, so nothing is painted before
 * they are read.
 */
function Rail({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  const hasTags = useFeature('tags');
  const tags = useQuery({ ...tagsQuery(incident.incident_id), enabled: hasTags });
  const isFirstRead = tags.isLoading && tags.failureCount === 0;
  const place = useRef<HTMLElement>(null);
  // A rail that is taller than the window sticks by its end: otherwise its last part would never come into view.
  useEffect(() => {
    const rail = place.current;
    if (rail === null) return;
    const resized = new ResizeObserver(() => rail.style.setProperty('--height', `${rail.offsetHeight}px`));
    resized.observe(rail);
    return () => resized.disconnect();
  }, []);
  return (
    <aside ref={place} className={styles.rail} aria-label="Facts and activity">
      {isFirstRead ? (
        <SkeletonRows rows={RAIL_ROWS} height="28px" />
      ) : (
        <>
          <WhoAndWhere incident={incident} tags={tags.data ?? []} />
          <Facts incident={incident} bundle={bundle} />
          <Tickets incident={incident} />
          <Activity incident={incident} />
        </>
      )}
    </aside>
  );
}

const RAIL_ROWS = 8;
const RAIL_PARTS: ReadonlySet<string> = new Set(['who', 'facts', 'tickets', 'history']);

const FAILURES: Readonly<Record<string, string>> = {
  generation_error: 'The evidence could not be built in five attempts. The events are listed below.',
  artifact_unreadable: 'The stored evidence can no longer be read.',
  evidence_expired: 'The retention of the events ended before the evidence was built.',
  monthly_quota_exceeded: "This month's evidence allowance is used up.",
  bundle_rotated:
    'The plan keeps evidence for a limited number of incidents, and newer incidents replaced this one.',
};

function NoEvidence({ answer, projectId }: { answer: BundleAnswer; projectId: string }) {
  if ('status' in answer && answer.status === 'failed') {
    return (
      <Notice title={FAILURES[answer.reason] ?? answer.reason}>
        {answer.reason === 'monthly_quota_exceeded' ? <UsedUpAllowance projectId={projectId} /> : undefined}
      </Notice>
    );
  }
  return <Notice title="Collecting evidence">It will appear here shortly. The latest event is below.</Notice>;
}
