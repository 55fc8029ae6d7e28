import { uploadMaps } from '../../packages/server/test/support/map-client.ts';
import type { LatencySummary } from '../load/latencies.ts';
import type { Measured } from '../report/measured.ts';
import { largeBuild } from './large-map.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

const MAP_BYTES = 100_000_000;
const EVENTS = 300;
const ROUNDS = 20;

/** Events of one project while a large map of another is uploaded and read (docs/contract/source-maps.md 13). */
export const intakeBesideMap: RowGroup = {
  rows: ['map-intake'],
  measure: (context) =>
    withService(context, async (service) => {
      const build = largeBuild(context.scaled(MAP_BYTES));
      const runs = await repeated(context, 'events beside a large map', async (run) => {
        const other = await service.createProject(`beside-${run}`);
        const owner = await service.createProject(`map-${run}`);
        const { host, port } = service;
        const { projectToken, memberToken } = other;
        const upload = uploadMaps(
          { url: `http://${host}:${port}` },
          { memberToken: owner.memberToken, projectId: `proj_${owner.projectId}` },
          [{ path: 'assets/main.js', code: build.code, map: build.map }],
          `large@${run}`,
        );
        // A failed upload fails the run at its `await` below; until then it is not an unhandled rejection.
        upload.catch(() => undefined);
        const { latency } = await context.generator.send({
          ...{
            host,
            port,
            token: projectToken,
            eventSize: 1500,
            eventsPerRequest: 1,
            connections: 1,
            kinds: 50,
          },
          ...{ pace: { kind: 'closed', pauseMs: 20 }, seconds: null, warmUpSeconds: 0 },
          events: context.scaled(EVENTS),
        });
        const { incident } = await context.generator.watch({
          ...{ host, port, projectToken, memberToken, pauseMs: 100, untilBundle: false },
          rounds: context.scaled(ROUNDS),
        });
        const { files } = await upload;
        if (files[0]?.verdict !== 'ready') throw new Error(`the map was not taken: ${files[0]?.words}`);
        return { latency, incident };
      });
      const row = (
        figure: string,
        of: readonly LatencySummary[],
        key: 'p95' | 'p99',
        most: number | null,
      ): Measured => ({
        ...{ row: 'map-intake', figure, unit: 'ms', values: of.map((run) => run[key]), floorValues: null },
        target: most === null ? { kind: 'none' } : { kind: 'at_most', value: most },
        details: { mapBytes: build.map.length },
      });
      const answers = runs.map(({ latency }) => latency);
      const incidents = runs.map(({ incident }) => incident);
      return [
        row('202 while a large map is taken, p99', answers, 'p99', 250),
        row('event to incident while a large map is taken, p95', incidents, 'p95', null),
      ];
    }),
};
