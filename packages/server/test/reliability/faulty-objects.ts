import { type FileOperations, realFileOperations } from '../../src/platform/objects/file-operations.ts';
import { type ObjectStore, ObjectStoreUnavailableError } from '../../src/platform/objects/object-store.ts';
import { type StepGuard, takeStep } from './fault-plan.ts';

/** The real store; each call is a step of the plan, so that a stored object can be reported as failed. */
export function faultyObjects(real: ObjectStore, plan: StepGuard): ObjectStore {
  const during = <Result>(name: string, effect: () => Promise<Result>) =>
    takeStep(plan, name, effect, async () => {
      throw new ObjectStoreUnavailableError(name, 'planted');
    });
  const { append } = real;
  return {
    put: (key, bytes) => during('put', () => real.put(key, bytes)),
    append: append === null ? null : (prefix, bytes) => during('append', () => append(prefix, bytes)),
    mayAnswerLate: real.mayAnswerLate,
    get: (key) => during('get', () => real.get(key)),
    getRange: (key, offset, length) => during('get range', () => real.getRange(key, offset, length)),
    delete: (key) => during('delete', () => real.delete(key)),
    deleteFolder: (folder, limit, nameBegins) =>
      during('delete folder', () => real.deleteFolder(folder, limit, nameBegins)),
    exists: (key) => during('exists', () => real.exists(key)),
    list: (folder) => real.list(folder),
    check: () => during('check', () => real.check()),
    freeSpace: () => real.freeSpace(),
  };
}

/** The real file system; each call is a step of the plan. */
export function faultyOperations(plan: StepGuard): FileOperations {
  const real = realFileOperations;
  const during = <Result>(name: string, effect: () => Promise<Result>) =>
    takeStep(plan, `file ${name}`, effect, async () => {
      throw Object.assign(new Error(`EIO: planted, ${name}`), { code: 'EIO' });
    });
  return {
    open: (...given) => during('open', () => real.open(...given)),
    write: (...given) => during('write', () => real.write(...given)),
    read: (...given) => during('read', () => real.read(...given)),
    fsync: (...given) => during('fsync', () => real.fsync(...given)),
    async close(file) {
      // The system closes the files of the dead.
      await real.close(file);
      await during('close', async () => {});
    },
    fileSize: (...given) => during('size', () => real.fileSize(...given)),
    truncate: (...given) => during('truncate', () => real.truncate(...given)),
    rename: (...given) => during('rename', () => real.rename(...given)),
    unlink: (...given) => during('unlink', () => real.unlink(...given)),
    mkdir: (...given) => during('mkdir', () => real.mkdir(...given)),
    rmdir: (...given) => during('rmdir', () => real.rmdir(...given)),
    readdir: (...given) => during('readdir', () => real.readdir(...given)),
    stat: (...given) => during('stat', () => real.stat(...given)),
    statfs: (...given) => during('statfs', () => real.statfs(...given)),
  };
}
