import type { MapProbe } from '@culprit/contract/releases/map-schemas';
import type { MapUploadFile, MapUploadSummary } from '@culprit/contract/releases/map-uploads';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { PATTERNS } from '../paths.ts';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { EmptyMaps } from './empty-maps.tsx';
import { mapUploadQuery, mapUploadsQuery } from './source-maps-queries.ts';

const route = getRouteApi(`/frame${PATTERNS.sourceMaps}`);

const STATE_WORDS: Readonly<Record<MapUploadSummary['state'], string>> = {
  open: 'Not finished',
  processing: 'Being read',
  done: 'Done',
  expired: 'Expired before it was finished',
};

/** Shows the uploads, and the verdict on each file. */
export function UploadsPart({ projectId }: { projectId: string }) {
  const { upload: openId } = route.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery(mapUploadsQuery(projectId));
  const { data, error, refetch } = list;
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={4} />;
  const uploads = data.pages.flatMap((page) => page.uploads);
  if (uploads.length === 0) return <EmptyMaps title="No source maps were uploaded in the last 30 days." />;
  return (
    <>
      <RecordList label="Uploads">
        {uploads.map((upload) => {
          const isOpen = upload.upload_id === openId;
          return (
            <RecordLine
              key={upload.upload_id}
              title={<UploadTitle upload={upload} />}
              facts={isOpen ? <UploadFiles projectId={projectId} uploadId={upload.upload_id} /> : undefined}
              controls={
                <Button
                  kind="quiet"
                  aria-expanded={isOpen}
                  onClick={() =>
                    void navigate({
                      to: '.',
                      search: isOpen ? {} : { upload: upload.upload_id },
                      replace: true,
                      resetScroll: false,
                    })
                  }
                >
                  {isOpen ? 'Hide files' : 'Files'}
                </Button>
              }
            />
          );
        })}
      </RecordList>
      <NextPageButton list={list} />
    </>
  );
}

function UploadTitle({ upload }: { upload: MapUploadSummary }) {
  const { counts, created_by: by, created_at: at, release, state, problem } = upload;
  const files = Object.entries(counts).flatMap(([verdict, count]) =>
    count === 0 ? [] : [`${count} ${verdict}`],
  );
  return (
    <>
      <strong>
        {problem !== null
          ? 'Not readable'
          : state === 'done' && files.length > 0
            ? files.join(', ')
            : STATE_WORDS[state]}
      </strong>{' '}
      {release !== null && <code>{visibleLine(release)}</code>} <Time iso={at} />
      {by?.email != null && ` by ${by.email}`}
    </>
  );
}

function UploadFiles({ projectId, uploadId }: { projectId: string; uploadId: string }) {
  const { data, error, refetch } = useQuery(mapUploadQuery(projectId, uploadId));
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={3} />;
  if (data.problem !== null) return <p>{visibleLine(data.problem)}</p>;
  return (
    <DataTable<MapUploadFile>
      label="Files of the upload"
      rows={data.files}
      keyOf={({ path }) => path}
      isDim={({ verdict }) => verdict === 'skipped'}
      columns={[
        { title: 'File', cell: ({ path }) => <code>{visibleLine(path)}</code> },
        { title: 'Verdict', cell: ({ verdict }) => verdict ?? 'being read' },
        {
          title: 'Result',
          cell: ({ probe, words }) => (words === null ? <Probe probe={probe} /> : visibleLine(words)),
        },
      ]}
    />
  );
}

/** A place that was looked up when the map was read, such as `1:734 → src/cart.ts:7 computeTotal`. */
export function Probe({ probe }: { probe: MapProbe | null }) {
  if (probe === null) return null;
  const { generated_line: line, generated_column: column, file, function: name } = probe;
  return (
    <code translate="no">
      {line}:{column} → {visibleLine(`${file}:${probe.line}`)} {name !== null && visibleLine(name)}
    </code>
  );
}
