import { useQuery } from '@tanstack/react-query';
import { attentionCountQuery } from '../../api/attention.ts';
import { checksQuery } from '../../api/checks.ts';
import { freshness } from '../../api/freshness.ts';
import { count } from '../../format/numbers.ts';
import styles from '../frame/sidebar.module.css';

/** Shows how many incidents need attention, or how many checks fail; nothing while that is unknown, and for none. */
export function CountedFigure({ of, projectId }: { of: 'attention' | 'checks'; projectId: string }) {
  return of === 'checks' ? <FailingChecks projectId={projectId} /> : <Attention projectId={projectId} />;
}

function Attention({ projectId }: { projectId: string }) {
  const { data } = useQuery(attentionCountQuery(projectId));
  return <Figure value={data?.count ?? 0} what="need attention" hasMore={data?.hasMore === true} />;
}

function FailingChecks({ projectId }: { projectId: string }) {
  // The screen of checks reads them more often; here they are one figure beside others.
  const { refetchInterval } = freshness('projects');
  const { data } = useQuery({ ...checksQuery(projectId), refetchInterval });
  const failing = data?.checks.filter(({ status }) => status === 'failing').length ?? 0;
  return <Figure value={failing} what="failing" />;
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
