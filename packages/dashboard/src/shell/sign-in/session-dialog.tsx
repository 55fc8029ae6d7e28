import { lazy, useEffect, useState } from 'react';
import { isSessionOver } from '../../api/transport.ts';
import { useSignal } from '../../ui/signal.ts';
import { LazyPart } from '../parts/lazy-part.tsx';

const SessionEnded = lazy(() =>
  import('./session-ended.tsx').then((module) => ({ default: module.SessionEnded })),
);

/** The session ended while the page was in use: what helps is loaded then, and stays to give the focus back. */
export function SessionDialog() {
  const isOver = useSignal(isSessionOver);
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    if (isOver) setNeeded(true);
  }, [isOver]);
  return isNeeded ? (
    <LazyPart>
      <SessionEnded isOver={isOver} />
    </LazyPart>
  ) : null;
}
