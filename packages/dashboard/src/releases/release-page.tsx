import type { Incident } from '@culprit/contract/incidents/incidents';
import type { Release, ReleaseCommit, ReleaseIncidentKind } from '@culprit/contract/releases/releases';
import {
  commitLink,
  commonRepository,
  compareLink,
  type Repository,
} from '@culprit/contract/releases/repository-links';
import { writtenValue } from '@culprit/contract/schemas/written-value';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { projectQuery } from '../api/projects.ts';
import { visibleLine } from '../format/event-text.ts';
import { count, fullCount, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { absoluteTime } from '../format/times.ts';
import { pathTo } from '../paths.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { Commit, EnvironmentLink, ServiceLink } from '../shell/parts/fact-links.tsx';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { SeverityMark } from '../shell/triage/severity.tsx';
import { Segments } from '../ui/fields/segments.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { FactList } from '../ui/lists/fact-list.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { BarPlot, type PlotMark } from '../ui/plots/bar-plot.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import styles from './releases-page.module.css';
import { ServicesOf } from './releases-page.tsx';
import {
  type ReleaseIds,
  releaseActivityQuery,
  releaseIncidentsQuery,
  releaseQuery,
  releasesQuery,
} from './releases-queries.ts';

const LIST = { to: 'releases', label: 'Releases' } as const;
type Kind = ReleaseIncidentKind | 'gone';
const KINDS: readonly { value: Kind; label: string; none: string }[] = [
  { value: 'new', label: 'New', none: 'No incident began in this release.' },
  { value: 'regressed', label: 'Regressed', none: 'No resolved incident came back in this release.' },
  { value: 'seen', label: 'Last seen', none: 'No incident was last seen in this release.' },
  { value: 'resolved', label: 'Resolved', none: 'No incident is resolved in this release.' },
];
/** The choice that a comparison with the previous release adds to the new incidents. */
const GONE = {
  value: 'gone',
  label: 'Gone',
  none: 'Every incident of the previous release still occurs.',
} as const;

/** One release: what began in it, what came back, what it brought. */
export function ReleasePage() {
  const { pid = '', releaseId = '' } = useParams({ strict: false });
  const ids = { id: pid, releaseId };
  const { data, error, refetch } = useQuery(releaseQuery(ids));
  // The content below must not move while it is read, so the page is painted when its parts are read.
  const activity = useQuery(releaseActivityQuery(ids));
  const incidents = useInfiniteQuery(releaseIncidentsQuery(ids, 'new'));
  const code = useReleaseCode(pid, data?.release ?? null);
  const isRead = !activity.isPending && !incidents.isPending;
  return (
    <ProjectScreen title={data === undefined ? 'Release' : visibleLine(data.release.version)} parent={LIST}>
      {() =>
        data === undefined || !isRead ? (
          error === null || data !== undefined ? (
            <SkeletonRows rows={6} />
          ) : (
            <PartError error={error} retry={() => void refetch()} />
          )
        ) : (
          <Sections>
            <FactList facts={factsOf(pid, data.release, code)} />
            <Incidents ids={ids} release={data.release} />
            <Activity ids={ids} deploys={data.deployments} />
            <Deploys pid={pid} rows={data.deployments} />
            <Commits rows={data.commits} total={data.release.commits} repository={code.repository} />
          </Sections>
        )
      }
    </ProjectScreen>
  );
}

/** The place of the code of a release, if the settings of the project name it. */
interface ReleaseCode {
  repository: Repository | null;
  /** The commit of the previous release. */
  previousCommit: string | null;
}

function useReleaseCode(pid: string, release: Release | null): ReleaseCode {
  const { data: project } = useQuery(projectQuery(pid));
  const services = release?.services.map(({ service_name: name }) => name) ?? [];
  const repository = commonRepository(project?.repositories ?? [], services);
  const version = release?.previous_version ?? null;
  const before = useInfiniteQuery({
    ...releasesQuery(pid, { version: version ?? '' }),
    enabled: version !== null && repository !== null,
  });
  return { repository, previousCommit: before.data?.pages[0]?.releases[0]?.commit_sha ?? null };
}

function factsOf(
  pid: string,
  release: Release,
  { repository, previousCommit }: ReleaseCode,
): (readonly [string, ReactNode])[] {
  const { previous_version: previous, source_maps: maps, url, commit_sha: commit } = release;
  const facts: (readonly [string, ReactNode])[] = [
    ['First seen', <Time key="first" iso={release.first_at} />],
    ...(release.last_seen_at === null
      ? []
      : [['Last event', <Time key="last" iso={release.last_seen_at} />] as const]),
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
  if (commit !== null) {
    const href = repository === null ? null : commitLink(repository, commit);
    facts.push(['Commit', <Commit key="commit" sha={commit} href={href} />]);
  }
  const changes = repository === null ? null : compareLink(repository, previousCommit, commit);
  if (changes !== null) {
    const text = `Compare ${visibleLine(previous ?? '')} with ${visibleLine(release.version)}`;
    facts.push(['Changes', <WebLink key="changes" url={changes} text={text} />]);
  }
  if (url !== null)
    facts.push(['Address', isWebAddress(url) ? <WebLink key="url" url={url} /> : visibleLine(url)]);
  return facts;
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function WebLink({ url, text = visibleLine(url) }: { url: string; text?: string }) {
  return (
    <a className={link.link} href={url} rel="noreferrer" target="_blank">
      {text}
    </a>
  );
}

function Incidents({ ids, release }: { ids: ReleaseIds; release: Release }) {
  const { version, previous_version: previous } = release;
  const [value, setValue] = useState<Kind>(
    release.new_incidents === 0 && release.regressed_incidents > 0 ? 'regressed' : 'new',
  );
  const named = useInfiniteQuery({
    ...releasesQuery(ids.id, { version: previous ?? '' }),
    enabled: previous !== null,
  });
  const previousId = named.data?.pages[0]?.releases[0]?.release_id;
  const kinds = previousId === undefined ? KINDS : [...KINDS, GONE];
  const chosen = kinds.find((kind) => kind.value === value);
  const isGone = value === 'gone';
  const list = useInfiniteQuery(
    releaseIncidentsQuery(isGone ? { ...ids, releaseId: previousId ?? '' } : ids, isGone ? 'seen' : value),
  );
  const { data, error, refetch } = list;
  const rows = data?.pages.flatMap(({ incidents }) => incidents) ?? [];
  return (
    <Section
      id="incidents"
      title="Incidents"
      actions={<Segments label="Incidents" choices={kinds} value={value} onChange={setValue} />}
    >
      {isGone && previous !== null && (
        <SectionText>
          <p>Last seen in {visibleLine(previous)}, and not in a later release.</p>
        </SectionText>
      )}
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={3} />}
      {data !== undefined && rows.length === 0 && (
        <SectionText>
          <p>{chosen?.none}</p>
        </SectionText>
      )}
      {rows.length > 0 && <IncidentList rows={rows} />}
      {rows.length > 0 && value === 'new' && (
        <p className={styles.below}>
          <Link
            className={link.link}
            to={pathTo('incidents', { pid: ids.id })}
            search={{ status: 'all', q: `release:${writtenValue(`first:${version}`)}` }}
          >
            Open in the incident list
          </Link>
        </p>
      )}
      <NextPageButton list={list} kind="quiet" label="Show more incidents" />
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

interface Deploy {
  deployment_id: string;
  deployed_at: string;
  service_name: string;
  environment: string;
}

const DAY_MS = 86_400_000;

function Activity({ ids, deploys }: { ids: ReleaseIds; deploys: readonly Deploy[] }) {
  const { data, error, refetch } = useQuery(releaseActivityQuery(ids));
  const fromMs = Date.parse(data?.from ?? '');
  const dayOf = (day: number) => new Date(fromMs + day * DAY_MS).toISOString().slice(0, 10);
  const rows = (data?.counts ?? [])
    .map((events, day) => ({
      at: dayOf(day),
      ...{ events, begun: data?.new[day] ?? 0, back: data?.regressed[day] ?? 0 },
    }))
    .filter(({ events, begun, back }) => events + begun + back > 0)
    .reverse();
  return (
    <Section id="activity" title="Last 14 days">
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data !== undefined && rows.length === 0 && (
        <SectionText>
          <p>No events from this release in the last 14 days.</p>
        </SectionText>
      )}
      {data !== undefined && rows.length > 0 && (
        <BarPlot
          isLow
          caption="Events and deploys"
          unit="events"
          bars={data.counts.map((value, day) => ({ value, label: dayOf(day) }))}
          marks={marksOf(ids.id, deploys, fromMs, data.counts.length * DAY_MS)}
          axis={[dayOf(0), dayOf(data.counts.length - 1)]}
        />
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

/** Returns the positions of deploys among the days, from 0 to 1. */
function marksOf(pid: string, deploys: readonly Deploy[], fromMs: number, lengthMs: number): PlotMark[] {
  return deploys.flatMap(({ deployed_at: iso, service_name: service, environment }) => {
    const at = (Date.parse(iso) - fromMs) / lengthMs;
    if (!(at >= 0 && at <= 1)) return [];
    const label = `${visibleLine(service)} deployed to ${visibleLine(environment)}, ${absoluteTime(iso)}`;
    return [
      {
        at,
        until: null,
        kind: 'line' as const,
        name: visibleLine(environment),
        link: <EnvironmentLink pid={pid} name={environment} />,
        plural: 'deploys',
        label,
      },
    ];
  });
}

function Deploys({ pid, rows }: { pid: string; rows: readonly Deploy[] }) {
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

function Commits({
  rows,
  total,
  repository,
}: {
  rows: readonly ReleaseCommit[];
  total: number;
  repository: Repository | null;
}) {
  if (rows.length === 0) return null;
  return (
    <Section id="commits" title={plural(total, 'commit')}>
      <DataTable
        label="Commits"
        rows={rows}
        keyOf={({ sha }) => sha}
        columns={[
          {
            title: 'Commit',
            cell: ({ sha }) => (
              <Commit sha={sha} href={repository === null ? null : commitLink(repository, sha)} />
            ),
          },
          { title: 'Message', cell: ({ message }) => visibleLine(message.split('\n', 1)[0] ?? '') },
          { title: 'Author', cell: ({ author_name: name }) => visibleLine(name ?? '–') },
          { title: 'Time', cell: ({ committed_at: at }) => (at === null ? '–' : <Time iso={at} />) },
        ]}
      />
    </Section>
  );
}
