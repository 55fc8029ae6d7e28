import { setTimeout as delay } from 'node:timers/promises';
import type { EventLoad } from '../load/send-events.ts';
import type { Measured } from '../report/measured.ts';
import { nodeMemoryMb, watchMemory } from '../service/process-memory.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** Memory of all Node processes of the service together. */

const IDLE_WAIT_MS = 10_000;
const LOAD_SECONDS = 8;

export const memory: RowGroup = {
  rows: ['memory'],
  async measure(context) {
    const runs = await repeated(context, 'memory', () => measureOnce(context));
    return [
      row(
        'memory of our Node processes, idle',
        runs.map((run) => run.idleMb),
        200,
      ),
      row(
        'memory of our Node processes, full load',
        runs.map((run) => run.loadedMb),
        600,
      ),
    ];
  },
};

function measureOnce(context: BenchContext): Promise<{ idleMb: number; loadedMb: number }> {
  return withService(context, async (service, database) => {
    const project = await service.createProject('memory');
    await delay(context.scaled(IDLE_WAIT_MS));
    const idleMb = await nodeMemoryMb(service.pid);
    const watch = watchMemory(service.pid);
    const load: EventLoad = {
      host: service.host,
      port: service.port,
      token: project.projectToken,
      eventSize: 1500,
      eventsPerRequest: 50,
      connections: 16,
      kinds: 10_000,
      pace: { kind: 'closed', pauseMs: 0 },
      seconds: context.scaled(LOAD_SECONDS),
      events: null,
      warmUpSeconds: 0,
    };
    const small = await context.generator.send(load);
    const large = await context.generator.send({
      ...load,
      eventSize: 25_000,
      eventsPerRequest: 40,
      kinds: 1000,
    });
    await database.untilProcessed(project, small.accepted + large.accepted);
    return { idleMb, loadedMb: await watch.stop() };
  });
}

function row(figure: string, values: number[], targetMb: number): Measured {
  return {
    row: 'memory',
    figure,
    unit: 'MB',
    values,
    floorValues: null,
    target: { kind: 'at_most', value: targetMb },
    details: {},
  };
}
