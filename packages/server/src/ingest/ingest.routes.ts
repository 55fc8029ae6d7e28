import { postEvents } from '@culprit/contract/events';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { acceptEvents, type Intake } from './accept-events.ts';
import { acknowledgementJson } from './acknowledgement-json.ts';

/** `POST /v1/events`. */
export function bindIngestRoutes<C extends Callers>(
  binder: Binder<C>,
  intake: Intake & { hasFreeSpace: () => boolean },
): void {
  binder
    .bind(postEvents, { budget: 'ingestion', cors: 'ingestion', rawResponse: true })
    .toRaw(async (request) => {
      if (!intake.hasFreeSpace()) throw new Problem('service_unavailable');
      const answer = await acceptEvents(request, intake);
      if ('problem' in answer) {
        const { problem, retryAfterSeconds } = answer;
        throw new Problem(problem, retryAfterSeconds === null ? {} : { retryAfterSeconds });
      }
      const { accepted, errors, retryAfterSeconds, activeProbes } = answer;
      return {
        status: 202,
        // A client that was limited in part learns when to send the rest (ingestion.md 3.2).
        headers: retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) },
        body: acknowledgementJson({
          accepted,
          rejected: errors.length,
          errors,
          probe_directives: { active_probes: [...activeProbes] },
        }),
      };
    });
}
