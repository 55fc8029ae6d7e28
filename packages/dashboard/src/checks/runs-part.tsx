import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Section, SectionText } from '../ui/section.tsx';

/** The pages of runs, as their query has them. */
interface Runs {
  isPending: boolean;
  isError: boolean;
  isSuccess: boolean;
  error: Error | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => Promise<unknown>;
  fetchNextPage: () => Promise<unknown>;
}

/** The runs of a check or of a scheduled job, newest first. */
export function RunsPart<Row>({
  runs,
  rows,
  keyOf,
  columns,
}: {
  runs: Runs;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  columns: readonly Column<Row>[];
}) {
  return (
    <Section id="runs" title="Runs" note="The last 30 days">
      {runs.isPending && <SkeletonRows rows={5} />}
      {runs.isError && rows.length === 0 && (
        <PartError error={runs.error} retry={() => void runs.refetch()} />
      )}
      {runs.isSuccess && rows.length === 0 && (
        <SectionText>
          <p>It has not run yet.</p>
        </SectionText>
      )}
      {rows.length > 0 && <DataTable label="Runs" rows={rows} keyOf={keyOf} columns={columns} />}
      <NextPageButton list={runs} kind="quiet" label="Show older runs" />
    </Section>
  );
}
