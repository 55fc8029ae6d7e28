import { hash } from 'node:crypto';
import type { MadeForm } from '@culprit/source-maps/make-form';
import { problemWords } from '@culprit/source-maps/problem-words';
import type { Logger } from 'pino';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import { finishJobs, type Job, postponeJob } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import { ObjectMissingError, type ObjectStore } from '../../platform/objects/object-store.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { unpackArchive } from '../archives/unpack-archive.ts';
import { queueLateMaps } from '../late/waits.queries.ts';
import { formKey, partsFolder } from '../map-keys.ts';
import { startReading } from '../map-metrics.ts';
import { readUploadId } from '../maps.jobs.ts';
import {
  bytesKey,
  findByBytes,
  insertSourceMap,
  markNewObject,
  nameOtherIds,
  nameSourceMap,
  raiseMapsVersion,
} from '../records/source-maps.queries.ts';
import { partCount } from '../uploads/upload-answer.ts';
import {
  countAttempt,
  findParts,
  findUploadFiles,
  setVerdict,
  type UploadFileRow,
  type Verdict,
} from '../uploads/upload-files.queries.ts';
import { endUpload, findUpload, lockUpload, type UploadRow } from '../uploads/uploads.queries.ts';
import type { FormMaker } from './form-maker.ts';

interface MapsLaneOptions {
  database: Database;
  objects: ObjectStore;
  maker: FormMaker;
  /** The limit of a project. */
  budgetBytes: number;
  log: Logger;
}

/** Files of an upload that are read before another project has its turn. */
const FILES_PER_TURN = 20;
const ATTEMPTS_MAX = 2;

/** The lane that judges uploaded maps and makes their look-up forms (docs/contract/source-maps.md 2.2 and 3.4). */
export function mapsLane(options: MapsLaneOptions): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await readUpload(job, options);
    },
  };
}

interface Target {
  projectId: string;
  uploadId: string;
  upload: UploadRow;
}

async function readUpload(job: Job, options: MapsLaneOptions): Promise<void> {
  const { database } = options;
  const projectId = job.fairnessKey;
  const uploadId = readUploadId(job.payload);
  const upload = await findUpload(database, projectId, uploadId);
  const isWanted = upload?.state === 'processing';
  if (isWanted && upload.isPacked) await unpackArchive({ projectId, uploadId, upload }, options);
  const files = isWanted ? await findUploadFiles(database, projectId, uploadId, FILES_PER_TURN) : [];
  if (upload !== null && isWanted) {
    const parts = await findParts(database, projectId, uploadId);
    for (const file of files) await judgeFile({ projectId, uploadId, upload }, file, parts, options);
  }
  if (files.length === FILES_PER_TURN) {
    await postponeJob(database, job, 0);
    return;
  }
  await database.transaction(async (transaction) => {
    await endUpload(transaction, projectId, uploadId, partsFolder(projectId, uploadId));
    await finishJobs(transaction, [job]);
  });
}

/** Gives a file its verdict, in a separate transaction. */
async function judgeFile(
  target: Target,
  file: UploadFileRow,
  parts: Map<string, Map<number, string>>,
  options: MapsLaneOptions,
): Promise<void> {
  const { database, objects } = options;
  const { projectId, uploadId } = target;
  const endReading = startReading();
  const known = await findByBytes(database, projectId, [
    { mapSha256: file.map.sha256, generatedSha256: file.generated.sha256 },
  ]);
  const kept = known.get(bytesKey(file.map.sha256, file.generated.sha256));
  if (kept !== undefined) {
    const { sourceMapId, probe } = kept;
    endReading('unchanged');
    const verdict: Verdict = { ...NO_PROBLEM, verdict: 'unchanged', sourceMapId, probe };
    await commit(
      target,
      file,
      verdict,
      async (transaction) => {
        const debugId = file.debugId ?? kept.debugId;
        await nameSourceMap(transaction, {
          projectId,
          sourceMapId,
          path: file.path,
          debugId,
          release: target.upload.release,
        });
        return true;
      },
      options,
    );
    return;
  }
  const judged = await judge(target, file, parts, options);
  if (judged.kind !== 'made') {
    const { kind: verdict, problem, words, fit } = judged;
    endReading(verdict);
    await commit(target, file, { ...NO_PROBLEM, verdict, problem, words, fit }, null, options);
    return;
  }
  const sourceMapId = newUuid();
  const objectKey = formKey(projectId, sourceMapId);
  await markNewObject(database, projectId, objectKey);
  await objects.put(objectKey, judged.form);
  endReading('ready');
  const { facts, form } = judged;
  const verdict: Verdict = {
    ...NO_PROBLEM,
    verdict: 'ready',
    sourceMapId,
    probe: facts.probe,
    fit: facts.fit,
  };
  await commit(
    target,
    file,
    verdict,
    async (transaction) => {
      await insertSourceMap(transaction, {
        ...{ projectId, sourceMapId, path: file.path, debugId: facts.debugId, objectKey },
        ...{ generatedSha256: file.generated.sha256, mapSha256: file.map.sha256 },
        ...{
          generatedBytes: file.generated.sizeBytes,
          mapBytes: file.map.sizeBytes,
          storedBytes: form.length,
        },
        ...{
          sources: facts.sources,
          segments: facts.segments,
          probe: facts.probe,
          uploadedBy: target.upload.userId,
        },
        ...{ hasContents: facts.hasContents, registersId: facts.registersId, codeSha256: facts.codeSha256 },
      });
      const { replacedId } = await nameSourceMap(transaction, {
        ...{
          projectId,
          sourceMapId,
          path: file.path,
          debugId: facts.debugId,
          release: target.upload.release,
        },
      });
      if (facts.otherIds.length > 0)
        await nameOtherIds(transaction, projectId, sourceMapId, file.path, facts.otherIds);
      if (replacedId !== null)
        await setVerdict(
          transaction,
          { projectId, uploadId, position: file.position },
          { ...verdict, verdict: 'replaced' },
        );
      return true;
    },
    options,
  );
}

const NO_PROBLEM = { problem: null, words: null, sourceMapId: null, probe: null, fit: null } as const;

/** Writes a verdict with what follows from it, unless project or upload are gone. */
async function commit(
  { projectId, uploadId }: Target,
  { position }: UploadFileRow,
  verdict: Verdict,
  keep: ((transaction: Transaction) => Promise<boolean>) | null,
  { database }: MapsLaneOptions,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if ((await lockProject(transaction, projectId)) === null) return;
    if ((await lockUpload(transaction, projectId, uploadId)) !== 'processing') return;
    await setVerdict(transaction, { projectId, uploadId, position }, verdict);
    if (keep === null || !(await keep(transaction))) return;
    await raiseMapsVersion(transaction, projectId);
    await queueLateMaps(transaction, projectId);
  });
}

async function judge(
  { projectId, uploadId }: Target,
  file: UploadFileRow,
  parts: Map<string, Map<number, string>>,
  { database, objects, maker, log }: MapsLaneOptions,
): Promise<MadeForm> {
  const refused = (problem: 'bytes_differ' | 'too_heavy'): MadeForm => ({
    ...{ kind: 'refused', problem, words: problemWords(problem, file.path, ''), fit: null },
  });
  const place = { projectId, uploadId, position: file.position };
  for (let attempts = file.attempts; attempts < ATTEMPTS_MAX; attempts += 1) {
    const generated = await assembled(objects, file.generated, parts);
    const map = await assembled(objects, file.map, parts);
    if (generated === null || map === null) return refused('bytes_differ');
    await countAttempt(database, place);
    const made = await maker.make({ path: file.path, debugId: file.debugId, generated, map });
    if (made !== null) return made.kind === 'made' ? { ...made, form: Buffer.from(made.form) } : made;
    log.warn({ projectId, uploadId, path: file.path }, 'a source map could not be read');
  }
  return refused('too_heavy');
}

/** A file out of its parts; null when its bytes are not those that were announced. */
async function assembled(
  objects: ObjectStore,
  { sha256, sizeBytes }: { sha256: string; sizeBytes: number },
  parts: Map<string, Map<number, string>>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for (let part = 0; part < partCount(sizeBytes); part += 1) {
    const key = parts.get(sha256)?.get(part);
    if (key === undefined) return null;
    const piece = await partBytes(objects, key);
    if (piece === null || at + piece.length > sizeBytes) return null;
    bytes.set(piece, at);
    at += piece.length;
  }
  return at === sizeBytes && hash('sha256', bytes, 'hex') === sha256 ? bytes : null;
}

async function partBytes(objects: ObjectStore, key: string): Promise<Buffer | null> {
  try {
    return await objects.get(key);
  } catch (error) {
    if (error instanceof ObjectMissingError) return null;
    throw error;
  }
}
