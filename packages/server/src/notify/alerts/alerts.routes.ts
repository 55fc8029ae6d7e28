import * as alerts from '@culprit/contract/alerts';
import type { Binder } from '../../platform/http/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { checkNewAlert, createAlert } from './create-alert.ts';
import { deleteAlert } from './delete-alert.ts';
import { checkAlertDeliveriesPage, listAlertDeliveries } from './list-alert-deliveries.ts';
import { checkAlertsPage, listAlerts } from './list-alerts.ts';
import { previewAlert } from './preview-alert.ts';
import { testAlert } from './test-alert.ts';
import { checkAlertChange, updateAlert } from './update-alert.ts';

/** Alert rules of projects. */
export function bindAlertRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(alerts.listAlerts)
    .checked(checkAlertsPage)
    .to(async (request) => ({ status: 200, body: await listAlerts(runtime, request) }));
  binder
    .bind(alerts.createAlert)
    .checked((request) => checkNewAlert(runtime, request))
    .to(async (request) => ({ status: 201, body: { alert: await createAlert(runtime, request) } }));
  binder
    .bind(alerts.updateAlert)
    .checked((request) => checkAlertChange(runtime, request))
    .to(async (request) => ({ status: 200, body: { alert: await updateAlert(runtime, request) } }));
  binder.bind(alerts.deleteAlert).to(async (request) => {
    await deleteAlert(runtime, request);
    return { status: 204 };
  });
  binder
    .bind(alerts.listAlertDeliveries)
    .checked(checkAlertDeliveriesPage)
    .to(async (request) => ({ status: 200, body: await listAlertDeliveries(runtime, request) }));
  binder.bind(alerts.testAlert).to(async (request) => ({
    status: 200,
    body: { delivery: await testAlert(runtime, request) },
  }));
  binder
    .bind(alerts.previewAlert)
    .checked((request) => checkNewAlert(runtime, request))
    .to(async (request) => ({ status: 200, body: await previewAlert(runtime, request) }));
}
