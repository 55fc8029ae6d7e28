import type { Incident } from '@culprit/contract/incidents';
import type { Release, ReleaseCommit, ReleaseIncidentKind } from '@culprit/contract/releases';
import { writtenValue } from '@culprit/contract/written-value';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { visibleLine } from '../format/event-text.ts';
import { count, fullCount, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { Commit, EnvironmentLink, ServiceLink } from '../shell/fact-links.tsx';
import link from '../shell/link.module.css';
import { Sections } from '../shell/page.tsx';
import { PartError } from '../shell/part-error.tsx';
import { ProjectScreen } from '../shell/project-screen.tsx';
import { SeverityMark } from '../shell/severity.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { FactList } from '../ui/fact-list.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { Segments } from '../ui/segments.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ServicesOf } from './releases-page.tsx';
import {
  type ReleaseIds,
  releaseActivityQuery,
  releaseIncidentsQuery,
  releaseQuery,
} from './releases-queries.ts';

const LIST = { to: 'releases', label: 'Releases' } as const;
const KINDS: readonly { value: ReleaseIncidentKind; label: string; none: string }[] = [
  { value: 'new', label: 'New', none: 'No incident began in this release.' },
  { value: 'regressed', label: 'Regressed', none: 'No resolved incident came back in this release.' },
  { value: 'seen', label: 'Last seen', none: 'No incident was last seen in this release.' },
  { value: 'resolved', label: 'Resolved', none: 'No incident is resolved in this release.' },
];

/** One release: what began in it, what came back, what it brought. */
export function ReleasePage() {
  const { pid = '', releaseId = '' } = useParams({ strict: false });
  const ids = { id: pid, releaseId };
  const { data, error, refetch } = useQuery(releaseQuery(ids));
  return (
    <ProjectScreen title={data === undefined ? 'Release' : visibleLine(data.release.version)} parent={LIST}>
      {() =>
        data === undefined ? (
          error === null ? (
            <SkeletonRows rows={6} />
          ) : (
            <PartError error={error} retry={() => void refetch()} />
          )
        ) : (
          <Sections>
            <FactList facts={factsOf(pid, data.release)} />
            <Incidents ids={ids} version={data.release.version} />
            <Activity ids={ids} />
            <Deploys pid={pid} rows={data.deployments} />
            <Commits rows={data.commits} total={data.release.commits} />
          </Sections>
        )
      }
    </ProjectScreen>
  );
}

function factsOf(pid: string, release: Release): (readonly [string, ReactNode])[] {
  const { previous_version: previous, source_maps: maps, url, commit_sha: commit } = release;
  const facts: (readonly [string, ReactNode])[] = [
    ['First seen', <Time key="first" iso={release.first_at} />],
    ['Last event', release.last_seen_at === null ? '–' : <Time key="last" iso={release.last_seen_at} />],
    ['Services', <ServicesOf key="services" pid={pid} services={release.services} />],
    ['Events', fullCount(release.events)],
    [
      'Source maps',
      <Link
        key="maps"
        className={link.link}
        to={pathTo('sourceMaps', { pid })}
        search={{ tab: release.lacks_source_maps ? 'missing' : 'kept' }}
      >
        {release.lacks_source_maps ? 'some are missing' : count(maps)}
      </Link>,
    ],
  ];
  if (previous !== null) {
    facts.push([
      'Previous release',
      <Link
        key="previous"
        className={link.link}
        to={pathTo('releases', { pid })}
        search={{ version: previous }}
      >
        {visibleLine(previous)}
      </Link>,
    ]);
  }
  if (commit !== null) facts.push(['Commit', <Commit key="commit" sha={commit} />]);
  if (url !== null)
    facts.push(['Address', isWebAddress(url) ? <WebLink key="url" url={url} /> : visibleLine(url)]);
  return facts;
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function WebLink({ url }: { url: string }) {
  return (
    <a className={link.link} href={url} rel="noreferrer" target="_blank">
      {visibleLine(url)}
    </a>
  );
}

function Incidents({ ids, version }: { ids: ReleaseIds; version: string }) {
  const [value, setValue] = useState<ReleaseIncidentKind>('new');
  const chosen = KINDS.find((kind) => kind.value === value);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    releaseIncidentsQuery(ids, value),
  );
  const rows = data?.pages.flatMap(({ incidents }) => incidents) ?? [];
  return (
    <Section
      id="incidents"
      title="Incidents"
      actions={<Segments label="Incidents" choices={KINDS} value={value} onChange={setValue} />}
    >
      {data === undefined &&
        (error === null ? (
          <SkeletonRows rows={3} />
        ) : (
          <PartError error={error} retry={() => void refetch()} />
        ))}
      {data !== undefined && rows.length === 0 && (
        <SectionText>
          <p>{chosen?.none}</p>
        </SectionText>
      )}
      {rows.length > 0 && <IncidentList rows={rows} />}
      {rows.length > 0 && value === 'new' && (
        <Link
          className={link.link}
          to={pathTo('incidents', { pid: ids.id })}
          search={{ status: 'all', q: `release:${writtenValue(`first:${version}`)}` }}
        >
          Open in the list of incidents
        </Link>
      )}
      {hasNextPage && (
        <Button kind="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more incidents
        </Button>
      )}
    </Section>
  );
}

function IncidentList({ rows }: { rows: readonly Incident[] }) {
  return (
    <DataTable
      label="Incidents of the release"
      rows={rows}
      keyOf={({ incident_id: id }) => id}
      isDim={({ status }) => status === 'resolved'}
      columns={[
        { title: 'Severity', cell: ({ severity }) => <SeverityMark severity={severity} isCompact /> },
        {
          title: 'Incident',
          cell: ({ incident_id: id, title }) => (
            <Link className={link.link} to={pathTo('incident', { id })} translate="no">
              {visibleLine(title ?? '–')}
            </Link>
          ),
        },
        { title: 'Status', cell: ({ status }) => status },
        {
          title: 'Service',
          cell: ({ service_name: name, project_id: pid }) =>
            name === null ? '–' : <ServiceLink pid={pid} name={name} />,
        },
        { title: 'Events', isNumber: true, cell: ({ occurrence_count: events }) => count(events) },
        { title: 'Last seen', cell: ({ last_seen_at: at }) => <Time iso={at} /> },
      ]}
    />
  );
}

function Activity({ ids }: { ids: ReleaseIds }) {
  const { data, error, refetch } = useQuery(releaseActivityQuery(ids));
  const rows = (data?.counts ?? [])
    .map((events, day) => ({
      at: new Date(Date.parse(data?.from ?? '') + day * 86_400_000).toISOString().slice(0, 10),
      ...{ events, begun: data?.new[day] ?? 0, back: data?.regressed[day] ?? 0 },
    }))
    .filter(({ events, begun, back }) => events + begun + back > 0)
    .reverse();
  return (
    <Section id="activity" title="Last 14 days">
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data !== undefined && rows.length === 0 && (
        <SectionText>
          <p>No event named this release in the last 14 days.</p>
        </SectionText>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Events by day"
          rows={rows}
          keyOf={({ at }) => at}
          columns={[
            { title: 'Day (UTC)', cell: ({ at }) => at },
            { title: 'Events', isNumber: true, cell: ({ events }) => fullCount(events) },
            { title: 'New', isNumber: true, cell: ({ begun }) => fullCount(begun) },
            { title: 'Regressed', isNumber: true, cell: ({ back }) => fullCount(back) },
          ]}
        />
      )}
    </Section>
  );
}

function Deploys({
  pid,
  rows,
}: {
  pid: string;
  rows: readonly { deployment_id: string; deployed_at: string; service_name: string; environment: string }[];
}) {
  return (
    <Section id="deploys" title="Deploys">
      {rows.length === 0 ? (
        <SectionText>
          <p>No deploy of this release was reported.</p>
        </SectionText>
      ) : (
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
          ]}
        />
      )}
    </Section>
  );
}

function Commits({ rows, total }: { rows: readonly ReleaseCommit[]; total: number }) {
  if (rows.length === 0) return null;
  return (
    <Section id="commits" title={plural(total, 'commit')}>
      <DataTable
        label="Commits"
        rows={rows}
        keyOf={({ sha }) => sha}
        columns={[
          { title: 'Commit', cell: ({ sha }) => <Commit sha={sha} /> },
          { title: 'Message', cell: ({ message }) => visibleLine(message.split('\n', 1)[0] ?? '') },
          { title: 'Author', cell: ({ author_name: name }) => visibleLine(name ?? '–') },
          { title: 'Time', cell: ({ committed_at: at }) => (at === null ? '–' : <Time iso={at} />) },
        ]}
      />
    </Section>
  );
}
