import type { OperatorHealth } from '@culprit/contract/workspace/operator';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { pauseAfter } from '../../api/freshness.ts';
import { operatorHealthQuery } from '../../api/operator.ts';
import { duration, plural } from '../../format/numbers.ts';
import { pathTo } from '../../paths.ts';
import styles from '../parts/banner.module.css';
import linkStyles from '../parts/link.module.css';

const LAG_MAX_SECONDS = 60;
const EVENTS_LANE = 'events';
/** The wait until the screen of the page is read. */
const BEGIN_AFTER_MS = 3000;
const EVERY_MS = 60_000;

/**
 * Shows the problems that an operator must know on every screen: events are late, the disk is full, events cannot be
 * processed.
 */
export function OperatorBanner() {
  const isThere = useRouterState({ select: ({ location }) => location.pathname === pathTo('operator') });
  const [isOn, setOn] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOn(true), BEGIN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({
    ...operatorHealthQuery,
    enabled: isOn && !isThere,
    staleTime: EVERY_MS,
    refetchInterval: ({ state }) => pauseAfter(EVERY_MS, state.fetchFailureCount),
  });
  const lettersBefore = useRef<number | null>(null);
  if (data !== undefined) lettersBefore.current ??= data.dead_letters;
  const words = data === undefined ? null : troubleOf(data, lettersBefore.current ?? data.dead_letters);
  if (words === null || isThere) return null;
  return (
    <div className={styles.banner} role="status">
      <p>{words}</p>
      <Link className={linkStyles.link} to={pathTo('operator')}>
        What to do
      </Link>
    </div>
  );
}

/** Returns the most serious problem; null when there is none. */
function troubleOf(
  { disk, queues, dead_letters: letters }: Pick<OperatorHealth, 'disk' | 'queues' | 'dead_letters'>,
  lettersBefore: number,
): string | null {
  if (disk !== null && disk.free_bytes < disk.guard_bytes) return 'The disk is full: events are refused.';
  const lag = queues.find(({ lane }) => lane === EVENTS_LANE)?.oldest_due_seconds ?? 0;
  if (lag > LAG_MAX_SECONDS) return `Events are delayed by ${duration(lag * 1000)}.`;
  const more = letters - lettersBefore;
  return more > 0 ? `${plural(more, 'more event')} could not be processed.` : null;
}
