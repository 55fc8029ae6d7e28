import * as uploads from '@culprit/contract/releases/map-uploads';
import * as endpoints from '@culprit/contract/releases/source-maps';
import type { Binder } from '../platform/http/binding/bind-endpoint.ts';
import { Problem } from '../platform/http/binding/problem.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiCallers } from '../workspace/access/api-callers.ts';
import { checkMissingPage, listMissingMaps } from './late/list-missing.ts';
import { explainFrame } from './lookup/explain-frame.ts';
import { checkPage, deleteSourceMap, getSourceMap, listSourceMaps } from './records/source-maps.ts';
import { beginUpload } from './uploads/begin-upload.ts';
import { checkAnnouncement } from './uploads/check-upload.ts';
import { finishUpload } from './uploads/finish-upload.ts';
import { getUpload } from './uploads/get-upload.ts';
import { listUploads } from './uploads/list-uploads.ts';
import { putPart } from './uploads/put-part.ts';

/** Source maps of a project: their uploads, what is kept and what is missing. */
export function bindMapRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  const { isOn, mapBytesMax } = runtime.maps;
  /**
   * Refuses the requests of an installation without source maps.
   * @throws Problem `not_found`
   */
  const requireOn = (): undefined => {
    if (!isOn) throw new Problem('not_found');
  };
  const page = (request: Parameters<typeof checkPage>[0]) => {
    requireOn();
    return checkPage(request);
  };
  binder
    .bind(uploads.beginMapUpload, { budget: 'uploads' })
    .checked(({ body }) => {
      requireOn();
      return checkAnnouncement(body, mapBytesMax);
    })
    .to(async (request) => await beginUpload(runtime, request));
  binder
    .bind(uploads.putMapPart, { budget: 'uploads' })
    .checked(requireOn)
    .to(async (request) => {
      await putPart(runtime, request);
      return { status: 204 };
    });
  binder
    .bind(uploads.finishMapUpload)
    .checked(requireOn)
    .to(async (request) => ({ status: 202, body: { upload: await finishUpload(runtime, request) } }));
  binder
    .bind(uploads.getMapUpload)
    .checked(requireOn)
    .to(async (request) => ({ status: 200, body: await getUpload(runtime, request) }));
  binder
    .bind(uploads.listMapUploads)
    .checked(page)
    .to(async (request) => ({ status: 200, body: await listUploads(runtime, request) }));
  binder
    .bind(endpoints.listSourceMaps)
    .checked(page)
    .to(async (request) => ({ status: 200, body: await listSourceMaps(runtime, request) }));
  binder
    .bind(endpoints.getSourceMap)
    .checked(requireOn)
    .to(async (request) => ({ status: 200, body: await getSourceMap(runtime, request) }));
  binder
    .bind(endpoints.deleteSourceMap)
    .checked(requireOn)
    .to(async (request) => ({ status: 200, body: { source_map: await deleteSourceMap(runtime, request) } }));
  binder
    .bind(endpoints.listMissingMaps)
    .checked((request) => {
      requireOn();
      return checkMissingPage(request);
    })
    .to(async (request) => ({ status: 200, body: await listMissingMaps(runtime, request) }));
  binder
    .bind(endpoints.explainFrame)
    .checked(requireOn)
    .to(async (request) => ({ status: 200, body: await explainFrame(runtime, request) }));
}
