import { listEventFates as listEventFatesEndpoint } from '@culprit/contract/events/event-fates';
import { postEvents } from '@culprit/contract/events/events';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Callers } from '../../platform/http/binding/callers.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { LoopScheduler } from '../../platform/http/limits/loop-scheduler.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { acceptEvents, type Intake } from './accept-events.ts';
import { acknowledgementJson } from './acknowledgement-json.ts';
import { checkFateTimes, listEventFates } from './list-event-fates.ts';

/** `POST /v1/events`. */
export function bindIngestRoutes<C extends Callers>(
  binder: Binder<C>,
  intake: Intake & { loop: LoopScheduler; hasFreeSpace: () => boolean },
): void {
  binder
    .bind(postEvents, { budget: 'ingestion', cors: 'events', rawResponse: true })
    .toRaw(async (request) => {
      if (!intake.hasFreeSpace()) throw new Problem('service_unavailable');
      const answer = await acceptEvents(request, intake);
      if ('problem' in answer) {
        if (answer.problem === 'invalid_payload')
          throw new Problem(answer.problem, { reason: answer.reason });
        const { problem, retryAfterSeconds } = answer;
        throw new Problem(problem, retryAfterSeconds === null ? {} : { retryAfterSeconds });
      }
      const { accepted, refused, retryAfterSeconds, activeProbes } = answer;
      return {
        status: 202,
        // A client that was limited in part learns when to send the rest (docs/contract/ingestion.md 3.2).
        headers: retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) },
        body: acknowledgementJson(
          { accepted, refused, probe_directives: { active_probes: [...activeProbes] } },
          (work) => intake.loop.next(request.clientKey, work, 'large'),
        ),
      };
    });
}

/** Binds the outcomes of sent events. */
export function bindFateRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(listEventFatesEndpoint)
    .checked(checkFateTimes)
    .to(async (request) => ({ status: 200, body: await listEventFates(runtime, request) }));
}
