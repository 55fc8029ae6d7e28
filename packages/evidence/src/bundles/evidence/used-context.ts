import type { NormalizedEvent } from '../../events/normalize/event.ts';
import { isResourceError } from '../document/context-blocks/resource-failure.ts';
import type { ChosenEvidence } from './choose-evidence.ts';

/** The correlated events that the document shows something of, within the maxima of docs/contract/incidents.md 3.3. */
export function usedContext({ primary, context }: ChosenEvidence): NormalizedEvent[] {
  return [
    ...context.logs,
    ...(context.request === null ? [] : [context.request]),
    ...context.probes,
    ...context.breadcrumbs,
    ...context.frontendExceptions,
    ...context.exceptions,
    ...(isResourceError(primary.event) ? context.failedRequests : []),
  ];
}
