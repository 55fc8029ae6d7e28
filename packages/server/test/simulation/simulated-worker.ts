import type { Database } from '../../src/platform/db/database.ts';
import {
  claimJobs,
  extendLeases,
  finishJobs,
  type Job,
  LeaseLostError,
  postponeJob,
  releaseJobs,
  retryDelayMs,
} from '../../src/platform/jobs/job-queue.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { LANE, writeEffects } from './simulated-queue.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';
const RETRY_DELAYS_MS = [1000, 5000];
const CLAIM_MAX = 3;

/** Thrown inside a transaction in place of a process that dies in it. */
class Death extends Error {
  override name = 'Death';
}

/** Whether a finish leaves its mark: a planted defect finishes without asking for the lease. */
export type Finish = typeof finishJobs;

/** A worker whose steps are chosen one by one, each of which may be its last. */
export class SimulatedWorker {
  readonly #database: Database;
  readonly #finish: Finish;
  #held: Job[] = [];

  constructor(database: Database, finish: Finish = finishJobs) {
    this.#database = database;
    this.#finish = finish;
  }

  get isIdle(): boolean {
    return this.#held.length === 0;
  }

  /** One random step. What a dead worker held stays leased. */
  async step(random: SeededRandom): Promise<void> {
    if (this.isIdle) {
      await this.claim(random.integer(1, CLAIM_MAX));
      return;
    }
    const choice = random.integer(0, 9);
    if (choice <= 3) await this.finish();
    else if (choice === 4) await this.#finishDying(random.chance(0.5));
    else if (choice === 5) this.#held = [];
    else if (choice === 6) await extendLeases(this.#database, this.#held);
    else if (choice === 7) await this.#release(random.chance(0.5));
    else if (choice === 8) await this.#postpone();
    // Else it stalls, and others may take over what it holds.
  }

  async claim(limit: number): Promise<void> {
    this.#held = (await claimJobs(this.#database, LANE, FIRST, limit)).jobs;
  }

  /** Effects and the end of the jobs in one transaction; nothing when a lease was lost. */
  async finish(): Promise<void> {
    const jobs = this.#held;
    this.#held = [];
    await this.#database
      .transaction(async (transaction) => {
        await writeEffects(transaction, jobs);
        await this.#finish(transaction, jobs);
      })
      .catch(ignoreLostLease);
  }

  /** Dies in the transaction before its commit, or right after it, before anybody hears of it. */
  async #finishDying(isCommitted: boolean): Promise<void> {
    if (isCommitted) {
      await this.finish();
      return;
    }
    const jobs = this.#held;
    this.#held = [];
    await this.#database
      .transaction(async (transaction) => {
        await writeEffects(transaction, jobs);
        await this.#finish(transaction, jobs);
        throw new Death();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Death)) ignoreLostLease(error);
      });
  }

  async #release(isCounted: boolean): Promise<void> {
    const jobs = this.#held;
    this.#held = [];
    const waitMs = (failures: number) => retryDelayMs(RETRY_DELAYS_MS, failures);
    await releaseJobs(this.#database, jobs, { isCounted, waitMs, error: 'simulated' });
  }

  async #postpone(): Promise<void> {
    const [job, ...others] = this.#held;
    if (job !== undefined) await postponeJob(this.#database, job, 2000);
    this.#held = others;
  }
}

function ignoreLostLease(error: unknown): void {
  if (!(error instanceof LeaseLostError)) throw error;
}
