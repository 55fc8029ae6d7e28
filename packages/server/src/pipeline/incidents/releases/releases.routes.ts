import * as endpoints from '@culprit/contract/releases/releases';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import {
  checkActivitySpan,
  checkReleasesPage,
  createRelease,
  deleteRelease,
  listReleases,
  readReleaseActivity,
} from '../../../releases/releases.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { checkReleaseIncidentsPage, getRelease, listReleaseIncidents } from './release-incidents.ts';

/** Releases of a project and their incidents (docs/contract/source-maps.md 10.3). */
export function bindReleaseRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(endpoints.listReleases)
    .checked(checkReleasesPage)
    .to(async (request) => ({ status: 200, body: await listReleases(runtime, request) }));
  binder.bind(endpoints.createRelease).to(async (request) => await createRelease(runtime, request));
  binder
    .bind(endpoints.getRelease)
    .to(async (request) => ({ status: 200, body: await getRelease(runtime, request) }));
  binder
    .bind(endpoints.listReleaseIncidents)
    .checked(checkReleaseIncidentsPage)
    .to(async (request) => ({ status: 200, body: await listReleaseIncidents(runtime, request) }));
  binder
    .bind(endpoints.getReleaseActivity)
    .checked(checkActivitySpan)
    .to(async (request) => ({ status: 200, body: await readReleaseActivity(runtime, request) }));
  binder
    .bind(endpoints.deleteRelease)
    .to(async (request) => ({ status: 200, body: { release: await deleteRelease(runtime, request) } }));
}
