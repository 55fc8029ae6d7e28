import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { decodeBatchObject } from '../../src/pipeline/stored-events/batch-object.ts';
import { splitBatchObjects } from '../../src/pipeline/stored-events/split-objects.ts';
import { newUuid } from '../../src/platform/ids.ts';
import type { FileOperations } from '../../src/platform/objects/file-operations.ts';
import { ledgerEvent } from './event-ledger.ts';
import { planNoFault } from './fault-plan.ts';
import type { InProcessPipeline } from './in-process-pipeline.ts';
import type { TraceStep } from './intake-trace.ts';
import { recordCommits, recordOperations } from './recorded-operations.ts';

/** Senders at once: their requests share windows, and objects within a project. */
const SENDERS = 12;
const PROJECTS = 4;

/**
 * Has the intake accept requests in this process, and records the calls it makes.
 * @param defect between the object store and its recorded operations
 */
export async function traceOperations(
  pipeline: InProcessPipeline,
  requests: number,
  defect: (sound: FileOperations) => FileOperations = (sound) => sound,
): Promise<TraceStep[]> {
  const steps: TraceStep[] = [];
  const pathOf = (objectKey: string) => join(pipeline.objectDirectory, objectKey);
  const life = await pipeline.startLife(planNoFault(), {
    plant: {
      operations: (sound) => defect(recordOperations(sound, steps)),
      database: (sound) => recordCommits(sound, steps, pathOf),
    },
  });
  const projects = await Promise.all(Array.from({ length: PROJECTS }, () => pipeline.createProject()));
  let sent = 0;
  await Promise.all(
    Array.from({ length: SENDERS }, async (_, sender) => {
      const token = projects[sender % PROJECTS]?.token ?? '';
      while (sent < requests) {
        sent += 1;
        const key = newUuid();
        const answer = await life.send(token, [ledgerEvent(key, 'alpha', true).body]);
        if ('problem' in answer) throw new Error(`answered ${answer.problem}`);
        steps.push({ kind: 'answered', path: key, offset: 0 });
      }
    }),
  );
  await life.end();
  const places = await placesByEvent(steps, pipeline.objectDirectory);
  return steps.map((step) => (step.kind === 'answered' ? { ...step, ...places.get(step.path) } : step));
}

/** Which batch holds the event with an id. */
async function placesByEvent(
  steps: readonly TraceStep[],
  objectDirectory: string,
): Promise<Map<string, { path: string; offset: number }>> {
  const places = new Map<string, { path: string; offset: number }>();
  for (const step of steps) {
    if (step.kind !== 'renamed' || !relative(objectDirectory, step.to).startsWith(`raw${sep}`)) continue;
    let offset = 0;
    for (const bytes of splitBatchObjects(await readFile(step.to))) {
      for (const { eventBytes } of (await decodeBatchObject(bytes)).records) {
        const event: unknown = JSON.parse(eventBytes.toString('utf8'));
        if (isJsonObject(event) && typeof event.event_id === 'string')
          places.set(event.event_id, { path: step.to, offset });
      }
      offset += bytes.length;
    }
  }
  return places;
}
