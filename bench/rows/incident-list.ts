import { INCIDENT_COUNT_MAX } from '@culprit/contract/incidents/incidents';
import { newUuid } from '../../packages/server/src/platform/ids.ts';
import type { ReadingResult } from '../load/read-pages.ts';
import type { Measured } from '../report/measured.ts';
import { fillIncidents } from '../service/fill-incidents.ts';
import { fillSearch } from '../service/fill-search.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** The list of incidents over 100,000 of them, as a dashboard asks for it, and the search in it. */

const INCIDENTS = 100_000;
const ROUNDS = 60;

export const incidentList: RowGroup = {
  rows: ['incident-list', 'incident-search', 'incident-filters'],
  measure: (context) =>
    withService(context, async (service, database) => {
      const project = await service.createProject('list');
      context.progress('list of incidents: filling the database');
      await fillIncidents(database, project, INCIDENTS);
      const { host, port } = service;
      const { memberToken } = project;
      const cursor = await deepCursor(host, port, memberToken);
      const paths = [
        '/v1/incidents',
        '/v1/incidents?status=active',
        `/v1/incidents?project_id=proj_${project.projectId}&limit=100`,
        '/v1/incidents?service=service-3&severity=critical',
        '/v1/incidents?environment=staging',
        '/v1/incidents?sort=first_seen&status=active',
        '/v1/incidents?sort=occurrences&status=active&limit=100',
        '/v1/incidents?sort=severity&status=active&limit=100',
        '/v1/incidents?severity_min=critical',
        '/v1/incidents?spiking=true',
        `/v1/incidents?limit=50&cursor=${encodeURIComponent(cursor)}`,
      ];
      const runs = await repeated(context, 'list of incidents', () =>
        context.generator.read({ host, port, memberToken, paths, rounds: context.scaled(ROUNDS) }),
      );
      const searches = [
        '/v1/incidents?q=typeerror&limit=100',
        '/v1/incidents?q=problem%2099999',
        '/v1/incidents?q=nowhere&sort=severity',
        `/v1/incidents?q=${newUuid()}`,
        '/v1/incidents?q=0123456789abcdef',
        '/v1/incidents?status=active&q=priority%3A%3E%3Dhigh%20-is%3Asnoozed&limit=50',
        '/v1/incidents?status=active&q=priority%3A%3E%3Dhigh%20-is%3Asnoozed&sort=priority',
      ];
      const searched = await repeated(context, 'search for incidents', () =>
        context.generator.read({ host, port, memberToken, paths: searches, rounds: context.scaled(ROUNDS) }),
      );
      await fillSearch(database, project);
      const filtered = (filters: readonly string[]) =>
        repeated(context, `filters of incidents, ${filters.length}`, () =>
          context.generator.read({
            ...{ host, port, memberToken, rounds: context.scaled(ROUNDS) },
            paths: filters.map(
              (q) =>
                `/v1/incidents?project_id=proj_${project.projectId}&limit=100&q=${encodeURIComponent(q)}`,
            ),
          }),
        );
      const counted = await repeated(context, 'count of incidents', () =>
        context.generator.read({
          ...{ host, port, memberToken, rounds: context.scaled(ROUNDS) },
          paths: COUNTED.map((q) => `/v1/incidents/count?project_id=proj_${project.projectId}${q}`),
        }),
      );
      await assertStopsCounting(`http://${host}:${port}/v1/incidents/count`, memberToken);
      const one = await filtered(FILTERS);
      const three = await filtered(THREE_FILTERS);
      return [
        filterRow('any one filter', one, 50),
        filterRow('any three filters together', three, 120),
        {
          row: 'incident-filters',
          figure: 'GET /v1/incidents/count with 100,000 incidents, p95 of the slowest',
          unit: 'ms',
          values: counted.map(slowest),
          floorValues: null,
          target: { kind: 'at_most', value: 50 },
          details: { runs: counted.map((run) => run.byPath) },
        },
        {
          row: 'incident-list',
          figure: 'GET /v1/incidents with 100,000 incidents, p95',
          unit: 'ms',
          values: runs.map((run) => run.all.p95),
          floorValues: null,
          target: { kind: 'at_most', value: 15 },
          details: { runs: runs.map((run) => run.byPath) },
        },
        {
          row: 'incident-search',
          figure: 'GET /v1/incidents?q= with 100,000 incidents, p95',
          unit: 'ms',
          values: searched.map((run) => run.all.p95),
          floorValues: null,
          target: { kind: 'at_most', value: 50 },
          details: { runs: searched.map((run) => run.byPath) },
        },
      ];
    }),
};

/** One of each key (docs/contract/team-workflow.md 1.1); some match nearly everything, some hardly anything. */
const FILTERS = [
  ...[
    'is:open',
    'is:regressed',
    'is:unassigned',
    '-is:snoozed',
    'is:new',
    'severity:>=high',
    'priority:high',
  ],
  ...['service:service-3', 'service:serv*', 'env:staging', 'assignee:none', 'kind:backend_exception'],
  ...['tag.tenant:tenant-7', 'tag.tenant:tenant-1*', 'tag.region:*', '-tag.flag:flag-1', 'tag.nothing:here'],
  ...['release:1.7.0', 'release:first:1.7.0', 'release:latest:1.7.0', 'type:TypeError', 'type:Conflict*'],
  ...[
    'message:99999',
    'title:problem',
    'file:src/**',
    'file:**/file-7.ts',
    'function:load7',
    'function:*Request',
  ],
  ...[
    'route:/api/thing-7/*',
    'http:404',
    'http:5xx',
    'count:>400',
    'count:<2',
    'first_seen:<2d',
    'last_seen:>20d',
  ],
  ...['problem', '"problem 5"', 'handleRequest', 'tenant-1999', 'nowhere'],
];
const THREE_FILTERS = [
  'service:service-3 tag.region:region-1 count:>100',
  'type:TypeError env:staging last_seen:<2d',
  '-is:snoozed http:5xx file:src/**',
  'problem is:open release:1.7.0',
  'tag.flag:flag-1 -tag.region:region-1 -tag.browser:browser-2',
];

const COUNTED = ['', '&status=active', '&q=is%3Anew', '&q=problem', '&q=tag.tenant%3Atenant-7'];

/** The slowest of the filters says whether the bound holds for any. */
function filterRow(what: string, runs: readonly ReadingResult[], target: number): Measured {
  return {
    row: 'incident-filters',
    figure: `GET /v1/incidents?q= with ${what}, 100,000 incidents, p95 of the slowest`,
    unit: 'ms',
    values: runs.map(slowest),
    floorValues: null,
    target: { kind: 'at_most', value: target },
    details: { runs: runs.map((run) => run.byPath) },
  };
}

function slowest({ byPath }: ReadingResult): number {
  return Math.max(...Object.values(byPath).map(({ p95 }) => p95));
}

/** Fails unless counting stops at 10,000 and says so. */
async function assertStopsCounting(address: string, memberToken: string): Promise<void> {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${memberToken}` } });
  const { count, is_exact: isExact } = await answer.json();
  if (count !== INCIDENT_COUNT_MAX || isExact !== false) {
    throw new Error(`of ${INCIDENTS} incidents ${count} were counted, exact: ${isExact}`);
  }
}

/** Returns the cursor after twenty pages. */
async function deepCursor(host: string, port: number, memberToken: string): Promise<string> {
  let cursor = '';
  for (let page = 0; page < 20; page += 1) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`http://${host}:${port}/v1/incidents?limit=100${query}`, {
      headers: { authorization: `Bearer ${memberToken}` },
    });
    const { next_cursor: next } = await answer.json();
    if (typeof next !== 'string') throw new Error(`the list answered ${answer.status} without a next page`);
    cursor = next;
  }
  return cursor;
}
