import { credentialSettings } from '../../packages/server/test/support/object-stores.ts';
import { type S3Server, startS3Server } from '../../packages/server/test/support/s3-server.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * Objects of raw events that are written to S3 while many clients send one event in each request. Writes are paid for
 * there, whatever their size.
 */

const ROW = 'object-writes';
const SECONDS = 30;
const REQUESTS_PER_SECOND = 100;

export const objectWrites: RowGroup = {
  rows: [ROW],
  async measure(context) {
    const s3 = await startS3Server();
    try {
      const runs = await withService(
        context,
        async (service, database) => {
          const project = await service.createProject('object writes');
          let accepted = 0;
          return await repeated(context, 'object writes', async () => {
            const before = rawWrites(s3);
            const sent = await context.generator.send({
              host: service.host,
              port: service.port,
              token: project.projectToken,
              eventSize: 1500,
              eventsPerRequest: 1,
              connections: 16,
              kinds: 200,
              pace: { kind: 'open', requestsPerSecond: REQUESTS_PER_SECOND },
              seconds: context.scaled(SECONDS),
              events: null,
              warmUpSeconds: 0,
            });
            accepted += sent.accepted;
            await database.untilProcessed(project, accepted);
            return { writes: rawWrites(s3) - before, events: sent.accepted };
          });
        },
        { CULPRIT_OBJECT_STORE: s3.setting, ...credentialSettings(s3.credentials) },
      );
      return [
        {
          row: ROW,
          figure: `S3 writes of raw events per 1,000 events, ${REQUESTS_PER_SECOND} single events/s`,
          unit: 'writes',
          values: runs.map(({ writes, events }) => (1000 * writes) / events),
          floorValues: null,
          // One for each 10 s.
          target: { kind: 'at_most', value: 1 },
          details: { runs },
        },
      ];
    } finally {
      await s3.close();
    }
  },
};

function rawWrites({ requests }: S3Server): number {
  return requests.filter((request) => /^PUT .*\/raw\//.test(request)).length;
}
