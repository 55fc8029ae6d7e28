import type { Deployment } from '@culprit/contract/deployments';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { PartError } from '../shell/part-error.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';

const COMMIT_LENGTH = 7;

/** What was deployed where, newest first. */
export function Deployments({
  query,
  rows,
}: {
  query: Pick<
    UseInfiniteQueryResult,
    'isPending' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  rows: readonly Deployment[];
}) {
  const isUnread = query.isPending && query.error === null;
  return (
    <Section id="deploys" title="Deploys">
      {isUnread && <SkeletonRows rows={3} />}
      {query.error !== null && rows.length === 0 && (
        <PartError error={query.error} retry={() => void query.refetch()} />
      )}
      {!isUnread && query.error === null && rows.length === 0 && (
        <SectionText>
          <p>
            No deploy was reported. Report one from the pipeline that deploys, and incidents name the deploy
            they began with.
          </p>
        </SectionText>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Deploys"
          rows={rows}
          keyOf={({ deployment_id: id }) => id}
          columns={[
            { title: 'Deployed', cell: ({ deployed_at: at }) => <Time iso={at} /> },
            { title: 'Service', cell: ({ service_name: name }) => <b>{visibleLine(name)}</b> },
            { title: 'Environment', cell: ({ environment }) => visibleLine(environment) },
            { title: 'Version', cell: ({ version }) => <code>{visibleLine(version ?? '–')}</code> },
            { title: 'Branch', cell: ({ branch }) => visibleLine(branch ?? '–') },
            {
              title: 'Commit',
              cell: ({ commit_sha: sha }) => (
                <code title={sha === null ? undefined : visibleLine(sha)}>
                  {sha === null ? '–' : visibleLine(sha.slice(0, COMMIT_LENGTH))}
                </code>
              ),
            },
          ]}
        />
      )}
      {query.hasNextPage && (
        <Button kind="quiet" isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older deploys
        </Button>
      )}
    </Section>
  );
}
