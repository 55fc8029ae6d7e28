import * as reports from '@culprit/contract/alerts/weekly-reports';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { checkNewChannel, createChannel } from './create-channel.ts';
import { deleteChannel } from './delete-channel.ts';
import { checkChannelsPage, listChannels } from './list-channels.ts';
import { sendReport } from './send-report.ts';
import { checkChannelChange, updateChannel } from './update-channel.ts';

/** Binds the endpoints for the recipients of a project's weekly reports. */
export function bindReportRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(reports.listWeeklyReportChannels)
    .checked(checkChannelsPage)
    .answers((request) => listChannels(runtime, request));
  binder
    .bind(reports.createWeeklyReportChannel)
    .checked((request) => checkNewChannel(runtime, request))
    .answers((request) => createChannel(runtime, request));
  binder
    .bind(reports.updateWeeklyReportChannel)
    .checked((request) => checkChannelChange(runtime, request))
    .answers((request) => updateChannel(runtime, request));
  binder.bind(reports.deleteWeeklyReportChannel).answers((request) => deleteChannel(runtime, request));
  binder.bind(reports.sendWeeklyReport).answers((request) => sendReport(runtime, request));
}
