import type { Release } from '@culprit/contract/releases/releases';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { trendWords } from '../format/incident-words.ts';
import { count, fullCount, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { PATTERNS, pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { ServiceLink } from '../shell/parts/fact-links.tsx';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { Sparkline } from '../ui/plots/sparkline.tsx';
import styles from './releases-page.module.css';
import { releasesQuery } from './releases-queries.ts';

const route = getRouteApi(`/frame${PATTERNS.releases}`);

/** Which release broke what. */
export function ReleasesPage() {
  return (
    <ProjectScreen
      title="Releases"
      intro="Versions of your code, from events, deploys and uploads, with the new incidents of each."
    >
      {(project) => <Releases pid={project.project_id} />}
    </ProjectScreen>
  );
}

function Releases({ pid }: { pid: string }) {
  const { q, version } = route.useSearch();
  const search = { ...(q === undefined ? {} : { q }), ...(version === undefined ? {} : { version }) };
  const navigate = useNavigate();
  const list = useInfiniteQuery(releasesQuery(pid, search));
  const { data, error, refetch } = list;
  const rows = data?.pages.flatMap(({ releases }) => releases) ?? [];
  const unnamed = data?.pages[0]?.unnamed_today ?? 0;
  const isFiltered = q !== undefined || version !== undefined;
  // A fact of an incident knows the version, and its release is what is looked for.
  const named = version === undefined ? undefined : rows[0];
  if (named !== undefined)
    return <Navigate to={pathTo('release', { pid, releaseId: named.release_id })} replace />;
  return (
    <>
      <TextField
        className={styles.search}
        label="Version"
        value={version ?? q ?? ''}
        onChange={({ target: { value } }) =>
          void navigate({ to: '.', search: value === '' ? {} : { q: value }, replace: true })
        }
      />
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={5} />}
      {data !== undefined && rows.length === 0 && (isFiltered ? <NoneFound /> : <NoReleases />)}
      {rows.length > 0 && (
        <DataTable label="Releases" rows={rows} keyOf={({ release_id: id }) => id} columns={columnsOf(pid)} />
      )}
      {unnamed > 0 && (
        <p>
          {plural(unnamed, 'version')} of today did not become a release: a project gets at most 100 new
          releases a day, 30 of them from browsers.
        </p>
      )}
      <NextPageButton list={list} kind="quiet" label="Show older releases" />
    </>
  );
}

function columnsOf(pid: string): readonly Column<Release>[] {
  return [
    {
      title: 'Version',
      cell: ({ release_id: releaseId, version }) => (
        <Link className={link.link} to={pathTo('release', { pid, releaseId })} translate="no">
          {visibleLine(version)}
        </Link>
      ),
    },
    { title: 'First seen', cell: ({ first_at: at }) => <Time iso={at} /> },
    { title: 'Services', cell: ({ services }) => <ServicesOf pid={pid} services={services} /> },
    { title: 'New', isNumber: true, cell: ({ new_incidents: incidents }) => count(incidents) },
    { title: 'Regressed', isNumber: true, cell: ({ regressed_incidents: incidents }) => count(incidents) },
    {
      title: 'Events',
      isNumber: true,
      cell: ({ events }) => <span title={fullCount(events)}>{count(events)}</span>,
    },
    {
      title: '14 days',
      cell: ({ events_by_day: counts }) => (
        <>
          <Sparkline counts={counts} />
          <span className="visually-hidden">{trendWords(counts)}</span>
        </>
      ),
    },
    { title: 'Deploys', isNumber: true, cell: ({ deploys }) => count(deploys) },
    {
      title: 'Maps',
      isNumber: true,
      cell: ({ source_maps: maps, lacks_source_maps: lacks }) =>
        lacks ? (
          <Link className={link.link} to={pathTo('sourceMaps', { pid })} search={{ tab: 'missing' }}>
            missing
          </Link>
        ) : (
          count(maps)
        ),
    },
  ];
}

/** Services, each once. */
export function ServicesOf({ pid, services }: { pid: string; services: Release['services'] }) {
  const names = [...new Set(services.map(({ service_name: name }) => name))];
  if (names.length === 0) return '–';
  return (
    <span className={styles.services}>
      {names.map((name) => (
        <ServiceLink key={name} pid={pid} name={name} />
      ))}
    </span>
  );
}

function NoneFound() {
  return <Notice title="No release matches." />;
}

function NoReleases() {
  return (
    <Notice title="No releases yet.">
      <p>The first event with a release creates one. Your deployment pipeline can too:</p>
      <CodeBlock label="Name a release" code="culprit releases create 1.2.0" />
    </Notice>
  );
}
