import type { FateCounts } from '@culprit/contract/events/event-fates';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useFeature } from '../api/server.ts';
import { fullCount } from '../format/numbers.ts';
import { PATTERNS, pathTo } from '../paths.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import linkStyles from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Notice } from '../ui/notice.tsx';
import { EventLookUp } from './event-look-up.tsx';
import { FatePlot } from './fate-plot.tsx';
import styles from './fate-sum.module.css';
import { FateTables, KindTable } from './fate-tables.tsx';
import { partsOf } from './fates.ts';
import { fatesQuery, SPANS, spanIn } from './fates-query.ts';
import { IntakeLimits } from './intake-limits.tsx';
import { RejectedEvents } from './rejected-events.tsx';
import { SpanChoice } from './span-choice.tsx';

const route = getRouteApi(`/frame${PATTERNS.intake}`);

/** The screen of event intake: accepted events, dropped ones, and the reasons. */
export function IntakePage() {
  const hasLookUp = useFeature('lookup');
  const hasFates = useFeature('event_fates');
  return (
    <ProjectScreen
      title="Event intake"
      intro="The outcome of every event that was sent to this project. Each event has exactly one outcome."
      actions={() => hasFates && <SpanChoice />}
    >
      {(project) => (
        <Sections>
          <Fates project={project} hasFates={hasFates}>
            {hasLookUp && <EventLookUp projectId={project.project_id} />}
            <IntakeLimits project={project} />
          </Fates>
        </Sections>
      )}
    </ProjectScreen>
  );
}

/** Shows the figures, and the parts below them: those wait, so that they do not move when the figures appear. */
function Fates({
  project,
  hasFates,
  children,
}: {
  project: Project;
  hasFates: boolean;
  children: ReactNode;
}) {
  const { span: wanted } = route.useSearch();
  const span = spanIn(wanted);
  const { project_id: pid } = project;
  const [openedMs] = useState(() => performance.now());
  const { data, error, refetch } = useQuery({
    ...fatesQuery(pid, span, openedMs),
    enabled: hasFates,
    // The plot of the time before stays until the other one is there.
    placeholderData: (before) => before,
  });
  if (hasFates && data === undefined && error === null) return <SkeletonRows rows={6} />;
  return (
    <>
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data?.totals.submitted === 0 && (
        <Notice title={`No events in the last ${SPANS[span].label}.`}>
          <Link className={linkStyles.link} to={pathTo('setup', { pid })}>
            Send an event
          </Link>
        </Notice>
      )}
      {data !== undefined && data.totals.submitted > 0 && (
        <>
          <div>
            <FateSum totals={data.totals} />
            <FatePlot fates={data} />
          </div>
          <RejectedEvents projectId={pid} fates={data} />
          <FateTables projectId={pid} fates={data} />
        </>
      )}
      {data !== undefined && <KindTable fates={data} />}
      {children}
    </>
  );
}

/** The whole sum in one line: what was submitted, and what became of it. */
function FateSum({ totals }: { totals: FateCounts }) {
  return (
    <p className={styles.sum}>
      <span className={styles.part} data-group="all">
        <strong>{fullCount(totals.submitted)}</strong> submitted
      </span>
      {partsOf(totals).map(({ fate, events }, index) => (
        <span key={fate.word} className={styles.part} data-group={fate.group}>
          <span className={styles.sign}>{index === 0 ? '=' : '+'}</span>
          <strong>{fullCount(events)}</strong> {fate.label}
        </span>
      ))}
    </p>
  );
}
