import type { Deployment } from '@culprit/contract/releases/deployments';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { Commit, EnvironmentLink, ReleaseLink, ServiceLink } from '../shell/parts/fact-links.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Section, SectionText } from '../ui/section.tsx';

/** Shows the deployments, newest first. */
export function Deployments({
  pid,
  query,
  rows,
}: {
  pid: string;
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
            No deploys yet. Report them from your pipeline, and incidents show the deploy they began with.
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
            { title: 'Service', cell: ({ service_name: name }) => <ServiceLink pid={pid} name={name} /> },
            {
              title: 'Environment',
              cell: ({ environment }) => <EnvironmentLink pid={pid} name={environment} />,
            },
            {
              title: 'Version',
              cell: ({ version }) => (version === null ? '–' : <ReleaseLink pid={pid} version={version} />),
            },
            { title: 'Branch', cell: ({ branch }) => visibleLine(branch ?? '–') },
            {
              title: 'Commit',
              cell: ({ commit_sha: sha }) => (sha === null ? '–' : <Commit sha={sha} />),
            },
          ]}
        />
      )}
      <NextPageButton list={query} kind="quiet" label="Show older deploys" />
    </Section>
  );
}
