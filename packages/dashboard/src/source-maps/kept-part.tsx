import {
  deleteSourceMap,
  listSourceMaps,
  type SourceMapRecord,
} from '@culprit/contract/releases/source-maps';
import type { Project } from '@culprit/contract/workspace/projects';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { bytes, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { useSettled } from '../ui/fields/use-settled.ts';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { Meter } from '../ui/plots/meter.tsx';
import { EmptyMaps } from './empty-maps.tsx';
import { sourceMapsQuery } from './source-maps-queries.ts';
import { Probe } from './uploads-part.tsx';

/** The maps that are kept, and how much of the budget they use. */
export function KeptPart({ project }: { project: Project }) {
  const [path, setPath] = useState('');
  const [deleting, setDeleting] = useState<SourceMapRecord | null>(null);
  const settled = useSettled(path);
  const list = useInfiniteQuery(sourceMapsQuery(project.project_id, settled.trim()));
  const { data, error, refetch } = list;
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={6} />;
  const rows = data.pages.flatMap(({ source_maps: maps }) => maps);
  const usage = data.pages[0]?.usage;
  return (
    <>
      {usage !== undefined && (
        <Meter
          label="Stored"
          used={usage.stored_bytes}
          limit={usage.budget_bytes}
          usedWords={bytes(usage.stored_bytes)}
          limitWords={bytes(usage.budget_bytes)}
        >
          {plural(usage.source_maps, 'source map')}. Above the budget, the least recently needed maps are
          removed.
        </Meter>
      )}
      <TextField
        label="Part of the path"
        name="path"
        type="search"
        autoComplete="off"
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
      {rows.length === 0 ? (
        settled.trim() === '' ? (
          <EmptyMaps title="No source maps." />
        ) : (
          <p>No source map matches.</p>
        )
      ) : (
        <DataTable
          label="Source maps"
          rows={rows}
          columns={columnsWith(project, setDeleting)}
          keyOf={({ source_map_id: id }) => id}
        />
      )}
      <NextPageButton list={list} label="Show more" />
      <DeleteDialog project={project} map={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function columnsWith(project: Project, onDelete: (map: SourceMapRecord) => void): Column<SourceMapRecord>[] {
  return [
    { title: 'File', cell: ({ path }) => <code>{visibleLine(path)}</code> },
    { title: 'Debug id', cell: ({ debug_id: id }) => (id === null ? 'none' : <code>{id.slice(0, 8)}</code>) },
    { title: 'Releases', cell: ({ releases }) => visibleLine(releases.join(', ')) },
    { title: 'Proof', cell: ({ probe }) => <Probe probe={probe} /> },
    { title: 'Stored', isNumber: true, cell: ({ stored_bytes: stored }) => bytes(stored) },
    { title: 'Uploaded', cell: ({ created_at: at }) => <Time iso={at} /> },
    { title: 'Last needed', cell: ({ last_needed_at: at }) => <Time iso={at} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (map) => (
        <Button
          kind="quiet"
          aria-label={`Delete ${map.path}`}
          refusal={refusalFor('admin', project)}
          onClick={() => onDelete(map)}
        >
          Delete
        </Button>
      ),
    },
  ];
}

function DeleteDialog({
  project,
  map,
  onClose,
}: {
  project: Project;
  map: SourceMapRecord | null;
  onClose: () => void;
}) {
  return (
    <ConfirmedAction
      item={map}
      title={`Delete the map of ${map?.path ?? ''}?`}
      verb="Delete the map"
      run={({ source_map_id: sourceMapId }) =>
        call(deleteSourceMap, { params: { id: project.project_id, sourceMapId } })
      }
      done={({ source_map: { path } }) => `Deleted the map of ${path}`}
      rereads={{ queryKey: [listSourceMaps.id, project.project_id] }}
      onClose={onClose}
    >
      <p>New events of this file will not be mapped. Incidents keep the frames that it mapped.</p>
    </ConfirmedAction>
  );
}
