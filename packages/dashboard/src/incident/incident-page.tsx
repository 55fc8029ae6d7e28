import '../api/screen-problem-words.ts';
import type { DebugBundle } from '@culprit/contract/bundle';
import type { Incident } from '@culprit/contract/incidents';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { bundleQuery, incidentQuery } from '../api/incidents.ts';
import { asShown, heldStatuses } from '../api/status-changes.ts';
import { visibleLine } from '../format/event-text.ts';
import { pathTo } from '../paths.ts';
import { announce } from '../shell/announce.tsx';
import { Breadcrumb } from '../shell/breadcrumb.tsx';
import { PageTitle } from '../shell/page.tsx';
import { PartError } from '../shell/part-error.tsx';
import { useProjectOfRecord } from '../shell/project-of-screen.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSignal } from '../ui/signal.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Cause } from './cause.tsx';
import { Contents } from './contents.tsx';
import { EventSection, useChosenEvent } from './event-section.tsx';
import { Exchange } from './exchange.tsx';
import { Facts } from './facts.tsx';
import { GroupingSection } from './grouping-section.tsx';
import { HistorySection } from './history-section.tsx';
import { IncidentHeader } from './incident-header.tsx';
import styles from './incident-page.module.css';
import { EnvironmentSection, NotCaptured, Probes, RedactionSection } from './more-evidence.tsx';
import { Neighbours } from './neighbours.tsx';
import { EventsSection, OccurrencesSection } from './occurrences-section.tsx';
import { ReproductionSection } from './reproduction-section.tsx';
import { SimilarSection } from './similar-section.tsx';
import { Stack } from './stack.tsx';
import { Timeline } from './timeline-section.tsx';
import { Trend } from './trend.tsx';
import { UsedUpAllowance } from './used-up-allowance.tsx';

/** One incident: what is the cause, what happened around it, how to reproduce and close it. */
export function IncidentPage() {
  const { id = '' } = useParams({ strict: false });
  const incident = useQuery(incidentQuery(id));
  const bundle = useQuery(bundleQuery(id));
  const navigate = useNavigate();
  const held = useSignal(heldStatuses);
  const data = incident.data === undefined ? undefined : asShown(incident.data, held);
  useProjectOfRecord(data?.project_id);
  const ownId = data?.incident_id;
  useEffect(() => {
    // The id of its bundle leads here too; the address that people copy is the incident's own.
    if (ownId !== undefined && ownId !== id) {
      void navigate({ to: pathTo('incident', { id: ownId }), hash: true, replace: true });
    }
  }, [ownId, id, navigate]);

  if (incident.isError && data === undefined) {
    return (
      <div className={styles.page}>
        <PageTitle title="Incident" windowTitle="Incident" />
        <PartError error={incident.error} retry={() => void incident.refetch()} />
        <Link to={pathTo('home')}>Go to the incidents</Link>
      </div>
    );
  }
  return (
    <>
      <Breadcrumb>
        {data !== undefined && <Link to={pathTo('incidents', { pid: data.project_id })}>Incidents</Link>}
        <span>{data === undefined ? '' : visibleLine(data.title)}</span>
      </Breadcrumb>
      <div className={styles.page}>
        <div className={styles.walk}>
          <Neighbours id={ownId ?? id} />
        </div>
        {data === undefined ? (
          <SkeletonRows rows={4} height="28px" />
        ) : (
          <IncidentHeader incident={data} bundle={documentOf(bundle.data)} />
        )}
        {bundle.isError && <PartError error={bundle.error} retry={() => void bundle.refetch()} />}
        {data !== undefined && bundle.data !== undefined && (
          <Evidence key={data.incident_id} incident={data} answer={bundle.data} />
        )}
      </div>
    </>
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
  const generation = newest?.metadata.generation_number ?? 0;
  const isNewer = shown !== null && generation > shown.metadata.generation_number;
  // The first evidence shows by itself; newer evidence is offered, and never swapped under the reader.
  useEffect(() => setShown((before) => before ?? newest), [newest]);
  const wasAwaited = useRef(newest === null);
  useEffect(() => {
    if (isNewer) announce(`There is newer evidence, generation ${generation}`);
    else if (wasAwaited.current && shown !== null) announce('The evidence is ready');
  }, [isNewer, generation, shown]);
  const bundle = shown ?? newest;
  if (bundle === null) {
    return (
      <div className={styles.main}>
        <NoEvidence answer={answer} projectId={incident.project_id} />
        <Trend incident={incident} />
        {eventId !== null && <EventSection incident={incident} eventId={eventId} />}
        <EventsSection incident={incident} />
        <SimilarSection incident={incident} />
        <HistorySection incident={incident} />
        <GroupingSection incident={incident} />
      </div>
    );
  }
  return (
    <>
      {isNewer && (
        <p className={styles.newer}>
          <Button onClick={() => setShown(newest)}>Newer evidence (generation {generation}) · show</Button>
        </p>
      )}
      <Contents generation={bundle.metadata.generation_number} />
      <div className={styles.columns}>
        <div className={styles.main}>
          <Cause bundle={bundle} />
          <Trend incident={incident} />
          {eventId === null ? (
            <>
              <Timeline bundle={bundle} />
              <Stack bundle={bundle} />
              <Exchange bundle={bundle} />
              <ReproductionSection bundle={bundle} />
              <Probes bundle={bundle} />
              <EnvironmentSection bundle={bundle} />
            </>
          ) : (
            <EventSection incident={incident} eventId={eventId} />
          )}
          <OccurrencesSection bundle={bundle} />
          <EventsSection incident={incident} />
          <RedactionSection bundle={bundle} />
          <SimilarSection incident={incident} />
          <HistorySection incident={incident} />
          <GroupingSection incident={incident} />
          <NotCaptured bundle={bundle} projectId={incident.project_id} />
        </div>
        <Facts incident={incident} bundle={bundle} />
      </div>
    </>
  );
}

const FAILURES: Readonly<Record<string, string>> = {
  generation_error: 'The evidence could not be put together, in five attempts. The events are listed below.',
  artifact_unreadable: 'The evidence was stored and cannot be read any more.',
  evidence_expired: 'The events had passed their retention before the evidence was put together.',
  monthly_quota_exceeded: 'The allowance of bundles of this month is used up.',
  bundle_rotated: 'The plan keeps a number of bundles, and newer ones took its place.',
};

function NoEvidence({ answer, projectId }: { answer: BundleAnswer; projectId: string }) {
  if ('status' in answer && answer.status === 'failed') {
    return (
      <Notice title={FAILURES[answer.reason] ?? answer.reason}>
        {answer.reason === 'monthly_quota_exceeded' ? <UsedUpAllowance projectId={projectId} /> : undefined}
      </Notice>
    );
  }
  return <Notice title="Evidence is being put together">It shows here by itself in a moment.</Notice>;
}
