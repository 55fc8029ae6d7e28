import { bareUrl } from './failures.ts';
import { watchInteractions, watchNavigation } from './interactions.ts';
import type { AddBreadcrumb, Page } from './loaded-page.ts';
import { type CallObserver, REQUEST_ID, watchFetch, watchXhr } from './network.ts';
import { together, type Undo } from './replace.ts';
import { isOwnAddress, traceHeadersFor } from './trace.ts';

const SLOW_MS = 10_000;

/** Clicks, forms, routes and failed calls: what led to a failure (docs/contract/clients.md 5.1). */
export function watchPage(page: Page, add: AddBreadcrumb): Undo {
  const { capture, pageClient, options, traceId } = page;
  const crumb = (type: string, data: object) => add({ type, data });
  const observer: CallObserver = {
    headersFor: (url) => ({
      ...traceHeadersFor(url, traceId, options),
      // Another origin would have to allow the header.
      ...(url.origin === location.origin && { [REQUEST_ID]: pageClient.newId() }),
    }),
    readsBodies: capture.networkBodies === true,
    callEnded({ method, url, id, status, durationMs, failure, body }) {
      const path = bareUrl(url.href).replace(location.origin, '');
      const isFailure = !status || status > 399;
      if (isFailure || durationMs > SLOW_MS) {
        crumb('network_request', {
          method,
          url: path,
          status_code: status,
          duration_ms: durationMs,
          ...failure,
          ...(body && { response_body: body }),
        });
      }
      if (isOwnAddress(url, options)) {
        page.event({
          type: 'request_event',
          payload: { method, path, response_status: status, duration_ms: durationMs, query: {}, headers: {} },
          correlation: { request_id: id },
        });
      }
    },
  };
  return together(
    capture.network !== false && together(watchFetch(observer), watchXhr(observer)),
    typeof document !== 'undefined' &&
      together(
        capture.clicks !== false && watchInteractions(crumb),
        capture.navigation !== false && watchNavigation(crumb),
      ),
  );
}
