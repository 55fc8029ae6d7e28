import { newDataDir, removeData, type Service, startService } from '../service/service.ts';
import { openServiceDatabase, type ServiceDatabase } from '../service/service-database.ts';
import type { BenchContext } from './row-group.ts';

/** Runs work on a fresh service, which is stopped in order and removed afterwards. */
export async function withService<Result>(
  context: BenchContext,
  work: (service: Service, database: ServiceDatabase) => Promise<Result>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const dataDir = newDataDir(context.directory);
  const service = await startService(dataDir, settings);
  const database = openServiceDatabase(service);
  try {
    return await work(service, database);
  } finally {
    await database.close();
    await service.stop();
    removeData(dataDir);
  }
}
