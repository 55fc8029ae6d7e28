import type { Project } from '@culprit/contract/workspace/projects';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { checksQuery } from '../api/checks.ts';
import { servicesQuery } from '../api/projects.ts';
import { serviceActivityQuery } from '../api/services.ts';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Attention } from './attention.tsx';
import { ChecksPart } from './checks-part.tsx';
import { Figures } from './figures.tsx';
import { IntakePart } from './intake-part.tsx';
import { OccurrencesPart } from './occurrences-part.tsx';
import styles from './overview-page.module.css';
import { attentionQuery, dayFatesQuery, occurrencesQuery } from './overview-queries.ts';
import { ServicesPart } from './services-part.tsx';

/** The overview of a project: incidents that need a person, the trend, and lost events. */
export function OverviewPage() {
  return <ProjectScreen title="Overview">{(project) => <Overview project={project} />}</ProjectScreen>;
}

function Overview({ project }: { project: Project }) {
  const pid = project.project_id;
  const { data: services } = useQuery(servicesQuery(pid));
  const isRead = useIsRead(pid);
  const navigate = useNavigate();
  const isEmpty = services?.length === 0 && project.metrics.monthly_raw_ingested_events === 0;
  useEffect(() => {
    // There is nothing to look at before the first event, only something to do.
    if (isEmpty) void navigate({ to: pathTo('setup', { pid }), replace: true });
  }, [isEmpty, navigate, pid]);
  if (isEmpty) return null;
  return (
    <div className={styles.parts}>
      {isRead ? (
        <>
          <div className={styles.news}>
            <Attention pid={pid} />
            <Figures project={project} />
          </div>
          <OccurrencesPart pid={pid} />
          <div className={styles.states}>
            <ServicesPart pid={pid} />
            <ChecksPart pid={pid} />
          </div>
          <IntakePart pid={pid} />
        </>
      ) : (
        <SkeletonRows rows={8} />
      )}
    </div>
  );
}

/** Returns true if every part was read, or failed: they are below one another and would move each other one by one. */
function useIsRead(pid: string): boolean {
  const reads = [
    useInfiniteQuery(attentionQuery(pid)),
    useQuery(occurrencesQuery(pid)),
    useQuery(servicesQuery(pid)),
    useQuery(serviceActivityQuery(pid)),
    useQuery(checksQuery(pid)),
    useQuery(dayFatesQuery(pid)),
  ];
  return reads.every(({ isPending }) => !isPending);
}
