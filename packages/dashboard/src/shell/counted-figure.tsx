import { listImprovements } from '@culprit/contract/improvements';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { checksQuery } from '../api/checks.ts';
import { freshness } from '../api/freshness.ts';
import { bodyOf, client } from '../api/transport.ts';
import { count } from '../format/numbers.ts';
import styles from './sidebar.module.css';

const COUNTED_MAX = 100;

/** How many checks fail, or how many improvements are open; nothing while unknown, and where there are none. */
export function CountedFigure({ of, projectId }: { of: 'checks' | 'improvements'; projectId: string }) {
  return of === 'checks' ? (
    <FailingChecks projectId={projectId} />
  ) : (
    <OpenImprovements projectId={projectId} />
  );
}

function FailingChecks({ projectId }: { projectId: string }) {
  // The screen of checks reads them more often; here they are one figure beside others.
  const { refetchInterval } = freshness('projects');
  const { data } = useQuery({ ...checksQuery(projectId), refetchInterval });
  const failing = data?.checks.filter(({ status }) => status === 'failing').length ?? 0;
  return <Figure value={failing} what="failing" />;
}

function OpenImprovements({ projectId }: { projectId: string }) {
  const { data } = useQuery(openImprovementsQuery(projectId));
  return <Figure value={data?.open ?? 0} what="open" hasMore={data?.hasMore === true} />;
}

function openImprovementsQuery(projectId: string) {
  return queryOptions({
    queryKey: [listImprovements.id, projectId, 'open'],
    queryFn: async ({ signal }) => {
      const query = { project_id: projectId, status: 'open' as const, limit: COUNTED_MAX };
      const { improvements, next_cursor: next } = await bodyOf(
        client.call(listImprovements, { query, signal }),
      );
      return { open: improvements.length, hasMore: next !== null };
    },
    ...freshness('projects'),
  });
}

function Figure({ value, what, hasMore = false }: { value: number; what: string; hasMore?: boolean }) {
  if (value === 0) return null;
  return (
    <span className={styles.figure}>
      {count(value)}
      {hasMore ? '+' : ''}
      <span className="visually-hidden"> {what}</span>
    </span>
  );
}
