import { listMapUploads } from '@culprit/contract/releases/map-uploads';
import {
  deleteSourceMap,
  getSourceMap,
  listMissingMaps,
  listSourceMaps,
} from '@culprit/contract/releases/source-maps';
import { isObject, type JsonObject } from '../../config/json-file.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { MAP_FILTERS } from './flags.ts';

export const list = listCommand({
  endpoint: listSourceMaps,
  project: 'params.id',
  key: 'source_maps',
  id: 'source_map_id',
  flags: MAP_FILTERS,
  columns: [
    ['UPLOADED', 'created_at'],
    [
      'STATE',
      ({ state, removed_reason }) => (removed_reason === null ? state : `${state}: ${removed_reason}`),
    ],
    ['PATH', 'path', 'wide'],
    ['DEBUG ID', ({ debug_id }) => shortId(debug_id)],
    ['RELEASES', 'releases'],
    ['NEEDED', 'last_needed_at'],
    ['ID', 'source_map_id'],
  ],
  empty: 'No source maps. Upload those of a build with: culprit sourcemaps upload DIR',
});

export const uploads = listCommand({
  endpoint: listMapUploads,
  project: 'params.id',
  key: 'uploads',
  id: 'upload_id',
  columns: [
    ['CREATED', 'created_at'],
    ['STATE', 'state'],
    ['RELEASE', 'release', 'wide'],
    ['FILES', ({ counts }) => countsText(counts)],
    ['BY', ({ created_by }) => (isObject(created_by) ? created_by.email : null)],
    ['ID', 'upload_id'],
  ],
  empty: 'No uploads in the last 30 days.',
});

export const missing = listCommand({
  endpoint: listMissingMaps,
  project: 'params.id',
  key: 'missing',
  id: ({ debug_id, release, file }) => String(debug_id ?? `${String(release)} ${String(file)}`),
  columns: [
    ['EVENTS', 'events'],
    ['INCIDENTS', 'incidents'],
    ['FILE', 'file', 'wide'],
    ['DEBUG ID', ({ debug_id }) => shortId(debug_id)],
    ['RELEASE', 'release'],
    ['REASON', 'reason'],
    ['SERVICE', 'service_name'],
    ['LAST SEEN', 'last_seen_at'],
  ],
  empty: 'No maps are missing.',
});

export const show = recordCommand({
  endpoint: getSourceMap,
  project: 'params.id',
  argument: 'sourceMapId',
  key: 'source_map',
  id: 'source_map_id',
});

export const remove = recordCommand({
  endpoint: deleteSourceMap,
  project: 'params.id',
  argument: 'sourceMapId',
  key: 'source_map',
  id: 'source_map_id',
  question: (_, input) =>
    `Delete the source map ${input.first}? New events of its file will not be mapped; bundles keep their frames.`,
});

function shortId(id: unknown): string | null {
  return typeof id === 'string' ? id.slice(0, 8) : null;
}

function countsText(counts: unknown): string {
  const all: JsonObject = isObject(counts) ? counts : {};
  return Object.entries(all)
    .filter(([, count]) => count !== 0)
    .map(([verdict, count]) => `${String(count)} ${verdict}`)
    .join(', ');
}
