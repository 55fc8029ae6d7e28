import { newUuid } from '../../packages/server/src/platform/ids.ts';
import { fillIncidents } from '../service/fill-incidents.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** The list of incidents over 100,000 of them, as a dashboard asks for it, and the search in it. */

const INCIDENTS = 100_000;
const ROUNDS = 60;

export const incidentList: RowGroup = {
  rows: ['incident-list', 'incident-search'],
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
      return [
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
