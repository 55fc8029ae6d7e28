import { getRequest, openConnection } from './http-connection.ts';
import { createLatencies, type LatencySummary } from './latencies.ts';

/** Reads paths one after the other over one connection. */
export interface PageReading {
  host: string;
  port: number;
  memberToken: string;
  paths: readonly string[];
  /** Times each path is read; a first time that is not measured comes before. */
  rounds: number;
}

export interface ReadingResult {
  all: LatencySummary;
  byPath: Record<string, LatencySummary>;
}

export async function readPages(reading: PageReading): Promise<ReadingResult> {
  const connection = await openConnection(reading.host, reading.port);
  const all = createLatencies();
  const byPath: Record<string, LatencySummary> = {};
  try {
    for (const path of reading.paths) {
      const request = getRequest({ ...reading, token: reading.memberToken }, path);
      const latencies = createLatencies();
      for (let round = 0; round <= reading.rounds; round += 1) {
        const begin = performance.now();
        const { status, body } = await connection.exchange(request);
        const milliseconds = performance.now() - begin;
        if (status !== 200) throw new Error(`${path} answered ${status} ${body.slice(0, 200)}`);
        if (round === 0) continue;
        latencies.add(milliseconds);
        all.add(milliseconds);
      }
      byPath[path] = latencies.summary();
    }
  } finally {
    connection.close();
  }
  return { all: all.summary(), byPath };
}
