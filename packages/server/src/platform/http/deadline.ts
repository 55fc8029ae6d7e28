import { Problem } from './problem.ts';

/** Waits for work at most so long; then `503 request_timeout`. The work itself is not stopped, its result is dropped. */
export function withDeadline<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Problem('request_timeout')), timeoutMs);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
