import { getMapUpload, listMapUploads } from '@culprit/contract/releases/map-uploads';
import { listMissingMaps, listSourceMaps } from '@culprit/contract/releases/source-maps';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { call } from '../api/transport.ts';

const LIMIT = 50;

/** Uploads of the last 30 days, newest first. */
export function mapUploadsQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [listMapUploads.id, id],
    queryFn: ({ pageParam, signal }) =>
      call(listMapUploads, { params: { id }, query: pageOf(pageParam), signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    ...freshness('deliveries'),
  });
}

/** One upload with the verdict on each of its files. */
export function mapUploadQuery(id: string, uploadId: string) {
  return queryOptions({
    queryKey: [getMapUpload.id, id, uploadId],
    queryFn: async ({ signal }) =>
      (await call(getMapUpload, { params: { id, uploadId }, query: {}, signal })).upload,
    ...freshness('deliveries'),
  });
}

/** Reads the maps that applications need and that were not uploaded, most events first. */
export function missingMapsQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [listMissingMaps.id, id],
    queryFn: ({ pageParam, signal }) =>
      call(listMissingMaps, { params: { id }, query: pageOf(pageParam), signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    ...freshness('services'),
  });
}

/** The maps that are kept, and how much of the budget they use. */
export function sourceMapsQuery(id: string, path: string) {
  return infiniteQueryOptions({
    queryKey: [listSourceMaps.id, id, path],
    queryFn: ({ pageParam, signal }) =>
      call(listSourceMaps, {
        params: { id },
        query: { ...pageOf(pageParam), ...(path === '' ? {} : { path }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    ...freshness('services'),
  });
}

function pageOf(cursor: string): { limit: number; cursor?: string } {
  return cursor === '' ? { limit: LIMIT } : { limit: LIMIT, cursor };
}
