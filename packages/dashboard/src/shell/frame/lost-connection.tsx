import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { serverQuery } from '../../api/server.ts';
import { connection } from '../../api/transport.ts';
import { clockTime } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import styles from '../parts/banner.module.css';

const FIRST_PAUSE_S = 4;
const PAUSE_MAX_S = 60;

/** The server does not answer. It is asked again by itself, less and less often, and the page reads on once it does. */
export function LostConnection({ lastAnswerAt }: { lastAnswerAt: number }) {
  const queryClient = useQueryClient();
  const [pauseS, setPause] = useState(FIRST_PAUSE_S);
  const [leftS, setLeft] = useState(FIRST_PAUSE_S);

  function tryNow(): void {
    // One request shows as much as all those of the page.
    queryClient.fetchQuery({ ...serverQuery, staleTime: 0 }).catch(() => {});
    const next = Math.min(pauseS * 2, PAUSE_MAX_S);
    setPause(next);
    setLeft(next);
  }
  useEffect(() => {
    const timer = setTimeout(() => {
      if (document.hidden) return;
      if (leftS > 1) setLeft(leftS - 1);
      else tryNow();
    }, 1000);
    return () => clearTimeout(timer);
  });
  useEffect(
    () => () => {
      if (!connection.get().isLost) void queryClient.refetchQueries({ type: 'active' });
    },
    [queryClient],
  );
  return (
    <div className={styles.banner}>
      <p role="alert">
        No connection to Culprit. Showing data from {clockTime(new Date(lastAnswerAt).toISOString())}.
      </p>
      <p>Trying again in {leftS} s</p>
      <Button onClick={tryNow}>Try now</Button>
    </div>
  );
}
