import { newDataDir, removeData, startService } from '../service/service.ts';
import { type RowGroup, repeated } from './row-group.ts';

/** From starting the process until `/ready` says so. */

export const start: RowGroup = {
  rows: ['start'],
  async measure(context) {
    const runs = await repeated(context, 'start', async () => {
      const dataDir = newDataDir(context.directory);
      const first = await startService(dataDir);
      await first.stop();
      const later = await startService(dataDir);
      await later.stop();
      removeData(dataDir);
      return { firstSeconds: first.startMs / 1000, laterSeconds: later.startMs / 1000 };
    });
    return [
      {
        row: 'start',
        figure: 'first start on an installed tree until ready',
        unit: 's',
        values: runs.map((run) => run.firstSeconds),
        floorValues: null,
        target: { kind: 'at_most', value: 5 },
        details: {},
      },
      {
        row: 'start',
        figure: 'later start until ready',
        unit: 's',
        values: runs.map((run) => run.laterSeconds),
        floorValues: null,
        target: { kind: 'at_most', value: 2 },
        details: {},
      },
    ];
  },
};
