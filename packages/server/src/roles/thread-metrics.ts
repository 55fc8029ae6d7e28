import { addUp, type Metric } from '../platform/metrics/metrics.ts';

/** A thread that is inside an event answers later; until then its last answer counts. */
const ANSWER_TIMEOUT_MS = 500;

/** The metrics of one place for a thread. What a thread counted stays counted when another takes its place. */
interface ThreadMetrics {
  /** @param ask sends the question, whose answer goes to `take` */
  read(ask: () => void): Promise<Metric[]>;
  take(answer: readonly Metric[]): void;
  threadEnded(): Promise<void>;
}

export function createThreadMetrics(): ThreadMetrics {
  let ended: readonly Metric[] = [];
  let latest: readonly Metric[] = [];
  const waiting = new Set<() => void>();
  return {
    async read(ask) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ANSWER_TIMEOUT_MS);
        waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
        ask();
      });
      return await addUp([ended, latest]);
    },
    take(answer) {
      latest = answer;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    async threadEnded() {
      const counted = latest.filter(({ type }) => type !== 'gauge');
      latest = [];
      ended = await addUp([ended, counted]);
    },
  };
}
