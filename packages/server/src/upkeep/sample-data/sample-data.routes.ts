import * as endpoints from '@culprit/contract/workspace/sample-data';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { addSampleData, describeSampleData, removeSampleData } from './change-sample-data.ts';

/** The sample data of projects. */
export function bindSampleDataRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(endpoints.getSampleData)
    .answers(({ access }) => describeSampleData(runtime.database, access.projectId));
  binder.bind(endpoints.addSampleData).answers((request) => addSampleData(runtime, request));
  binder.bind(endpoints.removeSampleData).answers((request) => removeSampleData(runtime, request));
}
