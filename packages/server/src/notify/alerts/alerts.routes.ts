import * as deliveries from '@culprit/contract/alerts/alert-deliveries';
import { listAlertVerdicts, listRuleVerdicts as ruleVerdicts } from '@culprit/contract/alerts/alert-verdicts';
import * as alerts from '@culprit/contract/alerts/alerts';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import type { FitQueries } from './alert-queries.ts';
import { checkNewAlert, createAlert } from './create-alert.ts';
import { deleteAlert } from './delete-alert.ts';
import { checkAlertDeliveriesPage, listAlertDeliveries } from './list-alert-deliveries.ts';
import { checkAlertsPage, listAlerts } from './list-alerts.ts';
import { checkVerdictsPage, listIncidentVerdicts, listRuleVerdicts } from './list-verdicts.ts';
import { previewAlert } from './preview-alert.ts';
import { testAlert } from './test-alert.ts';
import { checkAlertChange, updateAlert } from './update-alert.ts';

/** Alert rules of projects. */
export function bindAlertRoutes(binder: Binder<ApiCallers>, runtime: Runtime, fitQueries: FitQueries): void {
  binder
    .bind(alerts.listAlerts)
    .checked(checkAlertsPage)
    .answers((request) => listAlerts(runtime, request));
  binder
    .bind(alerts.createAlert)
    .checked((request) => checkNewAlert(runtime, request))
    .answers((request) => createAlert(runtime, request));
  binder
    .bind(alerts.updateAlert)
    .checked((request) => checkAlertChange(runtime, request))
    .answers((request) => updateAlert(runtime, request));
  binder.bind(alerts.deleteAlert).answers((request) => deleteAlert(runtime, request));
  binder
    .bind(deliveries.listAlertDeliveries)
    .checked(checkAlertDeliveriesPage)
    .answers((request) => listAlertDeliveries(runtime, request));
  binder
    .bind(listAlertVerdicts)
    .checked(checkVerdictsPage)
    .answers((request) => listIncidentVerdicts(runtime, request, fitQueries));
  binder
    .bind(ruleVerdicts)
    .checked(checkVerdictsPage)
    .answers((request) => listRuleVerdicts(runtime, request, fitQueries));
  binder.bind(deliveries.testAlert).answers((request) => testAlert(runtime, request));
  binder
    .bind(alerts.previewAlert)
    .checked((request) => checkNewAlert(runtime, request))
    .answers((request) => previewAlert(runtime, request, fitQueries));
}
