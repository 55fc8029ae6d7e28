import type { ServerResponse } from 'node:http';
import { startWork } from '../../work.ts';
import { Problem } from '../binding/problem.ts';
import { withDeadline } from '../limits/deadline.ts';

/** The work for one request, until its time has run out or its client has disconnected. */
interface RequestWork {
  /** Finds the caller. What it stores, such as the last use of a token, is not the change that was requested. */
  authenticate<Result>(part: () => Promise<Result>): Promise<Result>;
  /** Runs the operation. A 503 of it means that nothing was changed, except for `outcome_unknown`. */
  operate<Result>(part: () => Promise<Result>): Promise<Result>;
  /** Returns true if the operation may have changed something, although it failed. */
  mayHaveChanged(): boolean;
}

/** @param changes whether the endpoint changes something */
export function startRequestWork(
  response: ServerResponse,
  { changes, timeoutMs }: { changes: boolean; timeoutMs: number },
): RequestWork {
  const [authentication, operation] = [startWork(), startWork()];
  const mayHaveChanged = () => changes && operation.mayHaveEffect;

  function stop(reason: Problem): void {
    authentication.stop(reason);
    operation.stop(reason);
  }
  // No one reads this answer.
  const stopForGone = () => stop(new Problem('request_timeout'));
  if (response.destroyed) stopForGone();
  else response.once('close', stopForGone);

  const onTimeout = (timeout: Problem): Problem => {
    stop(timeout);
    return mayHaveChanged() ? new Problem('outcome_unknown') : timeout;
  };
  return {
    authenticate: (part) => withDeadline(authentication.run(part), timeoutMs, onTimeout),
    async operate(part) {
      const result = await withDeadline(operation.run(part), timeoutMs, onTimeout);
      response.off('close', stopForGone);
      return result;
    },
    mayHaveChanged,
  };
}
