import { previewCapture as previewCaptureEndpoint } from '@culprit/contract/capture/capture-preview';
import {
  listProbeResults as listProbeResultsEndpoint,
  tailEvents as tailEventsEndpoint,
} from '@culprit/contract/events/recent-events';
import { getServiceActivity } from '@culprit/contract/incidents/service-activity';
import { listDeployments as listDeploymentsEndpoint } from '@culprit/contract/releases/deployments';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { checkDeploymentsPage, listDeployments } from './list-deployments.ts';
import { checkProbeCursor, listProbeResults } from './list-probe-results.ts';
import { checkPreview, previewCapture } from './preview-capture.ts';
import { readServiceActivity } from './service-activity.ts';
import { checkTailCursor, tailEvents } from './tail-events.ts';

/** Binds the activity of services, their deployments, and their latest events. */
export function bindServiceRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(listDeploymentsEndpoint)
    .checked(checkDeploymentsPage)
    .answers((request) => listDeployments(runtime, request));
  binder.bind(getServiceActivity).answers((request) => readServiceActivity(runtime, request));
  binder
    .bind(tailEventsEndpoint)
    .checked(checkTailCursor)
    .answers((request) => tailEvents(runtime, request));
  binder
    .bind(listProbeResultsEndpoint)
    .checked(checkProbeCursor)
    .answers((request) => listProbeResults(runtime, request));
  binder
    .bind(previewCaptureEndpoint)
    .checked(checkPreview)
    .answers((request) => previewCapture(runtime, request));
}
