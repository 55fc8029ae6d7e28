import { mapWords } from '@culprit/contract/releases/map-words';
import type { MissingMap } from '@culprit/contract/releases/source-maps';
import { useInfiniteQuery } from '@tanstack/react-query';
import { visibleLine } from '../format/event-text.ts';
import { fullCount } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { missingMapsQuery } from './source-maps-queries.ts';

const COLUMNS: readonly Column<MissingMap>[] = [
  { title: 'File', cell: ({ file }) => <code>{visibleLine(file)}</code> },
  {
    title: 'Reason and fix',
    cell: (row) => {
      const { words, hint } = wordsOf(row);
      return (
        <>
          {visibleLine(words)} {visibleLine(hint)}
        </>
      );
    },
  },
  { title: 'Service', cell: ({ service_name: name }) => (name === null ? '' : visibleLine(name)) },
  { title: 'Events', isNumber: true, cell: ({ events }) => fullCount(events) },
  { title: 'Incidents', isNumber: true, cell: ({ incidents }) => fullCount(incidents) },
  { title: 'Last seen', cell: ({ last_seen_at: at }) => <Time iso={at} /> },
];

/** Shows the maps that running applications need and that were not uploaded. */
export function MissingPart({ projectId }: { projectId: string }) {
  const list = useInfiniteQuery(missingMapsQuery(projectId));
  const { data, error, refetch } = list;
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={4} />;
  const rows = data.pages.flatMap(({ missing }) => missing);
  if (rows.length === 0) {
    return (
      <Notice title="No maps are missing.">
        Files without a map appear here when an incident needs one.
      </Notice>
    );
  }
  return (
    <>
      <DataTable
        label="Missing source maps"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ debug_id: id, release, file }) => `${id} ${release} ${file}`}
      />
      <NextPageButton list={list} label="Show more" />
    </>
  );
}

function wordsOf({ reason, file, debug_id: debugId, release }: MissingMap): { words: string; hint: string } {
  return mapWords(reason, { file, debugId, release });
}
