import { useEffect, useState } from 'react';
import { ApiProblem } from '../../api/transport.ts';

/** Returns the seconds to wait after a request that was too frequent; counted down, 0 without one. */
export function useWaitAfter(error: unknown): number {
  const [leftS, setLeft] = useState(0);
  useEffect(() => {
    const waitS =
      error instanceof ApiProblem && error.code === 'rate_limited' ? (error.retryAfterSeconds ?? 0) : 0;
    const endsAt = Date.now() + waitS * 1000;
    const count = () => setLeft(Math.max(0, Math.ceil((endsAt - Date.now()) / 1000)));
    count();
    if (waitS === 0) return;
    const timer = setInterval(() => {
      count();
      if (Date.now() >= endsAt) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return leftS;
}
