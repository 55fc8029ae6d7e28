import { Problem } from '../binding/problem.ts';

/**
 * Waits at most this time for work; then fails with `503 request_timeout`. The result of the work is dropped.
 * @param onTimeout stops the work, and returns another problem if the work may have had an effect
 */
export function withDeadline<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  onTimeout: (timeout: Problem) => Problem = (timeout) => timeout,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout(new Problem('request_timeout'))), timeoutMs);
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
