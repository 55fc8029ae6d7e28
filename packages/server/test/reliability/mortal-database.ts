import { readFileSync, rmSync } from 'node:fs';
import {
  type Database,
  type DatabaseOptions,
  openDatabase as openRealDatabase,
} from '../../src/platform/db/database.ts';
import type { StepGuard } from './fault-plan.ts';
import { faultyDatabase } from './faulty-database.ts';

/**
 * A database at one of whose steps the thread that uses it ends. Takes the place of the module of the same function in
 * worker threads; the step is named by a file, which the death removes.
 */

/** Set for the worker process: where the death is announced. */
export const DEATH_FILE_VARIABLE = 'CULPRIT_TEST_DEATH_FILE';

export interface AnnouncedDeath {
  step: string;
  /** The step has its effect first. */
  isLate: boolean;
}

const deathFile = process.env[DEATH_FILE_VARIABLE];

export function openDatabase(options: DatabaseOptions): Database {
  const real = openRealDatabase(options);
  return deathFile === undefined ? real : faultyDatabase(real, mortalGuard(deathFile));
}

function mortalGuard(file: string): StepGuard {
  return {
    arrive(name) {
      const death = readDeath(file);
      return death?.step === name ? { isLate: death.isLate, happen: () => die(file) } : null;
    },
    assertAlive() {},
  };
}

function readDeath(file: string): AnnouncedDeath | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** In a worker thread this ends the thread and no other. */
function die(file: string): Promise<never> {
  rmSync(file, { force: true });
  process.exit();
}
