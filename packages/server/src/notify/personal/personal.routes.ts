import * as personal from '@culprit/contract/alerts/personal-messages';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { checkSettings, getSettings, unsubscribe, updateSettings } from './personal-settings.ts';

/** About what a person is mailed. */
export function bindPersonalRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(personal.getPersonalSettings).answers(({ caller }) => getSettings(runtime, caller.userId));
  binder
    .bind(personal.updatePersonalSettings)
    .checked((request) => checkSettings(runtime, request))
    .answers(({ caller, body, checked }) => updateSettings(runtime, caller.userId, body, checked));
  binder.bind(personal.unsubscribe).to(async (request) => {
    await unsubscribe(runtime, request);
    return { status: 200, body: { success: true } };
  });
}
