/**
 * How a step goes wrong. `fails`: nothing happened and it says so. `fails-late`: it happened and is reported as failed.
 * `outage`: it fails, and so do the next ones. `throws`: like a bug, an error that blames nothing outside. `dies` and
 * `dies-late`: like the first two, and nothing of this life has any effect afterwards.
 */
export type FaultMode = 'fails' | 'fails-late' | 'outage' | 'throws' | 'dies' | 'dies-late';

/** One step of a path: the second time that `query jobs-claim` is reached, for example. */
export interface StepPlace {
  name: string;
  /** Counts from 1. */
  occurrence: number;
}

interface Fault {
  /** The effect takes place first. */
  isLate: boolean;
  /** Ends the step; `fail` is how the outside would fail. */
  happen(fail: () => Promise<never>): Promise<never>;
}

/** Decides which steps go wrong. */
export interface StepGuard {
  /** A step begins. Throws when this life is over. */
  arrive(name: string): Fault | null;
  assertAlive(): void;
}

/** Counts the steps of one life and lets some of them go wrong. */
export interface FaultPlan extends StepGuard {
  /** Between the two calls steps are counted; those outside are part of no path. */
  arm(): void;
  disarm(): void;
  hasStruck(): boolean;
  isDead(): boolean;
  /** Steps reached, with how often. */
  reached(): ReadonlyMap<string, number>;
}

/** Steps that an outage lasts: long enough that giving work back fails too. */
const OUTAGE_STEPS = 12;

export function planFault(place: StepPlace, mode: FaultMode): FaultPlan {
  const reached = new Map<string, number>();
  let isArmed = false;
  let hasStruck = false;
  let stepsOfOutage = 0;
  let isDead = false;

  function assertAlive(): void {
    if (isDead) throw new DeadError();
  }

  const fault: Fault = {
    isLate: mode === 'fails-late' || mode === 'dies-late',
    async happen(fail) {
      if (mode === 'throws') throw new Error('a planted bug');
      if (mode !== 'dies' && mode !== 'dies-late') return await fail();
      isDead = true;
      throw new DeadError();
    },
  };

  function arrive(name: string): Fault | null {
    assertAlive();
    if (!isArmed) return null;
    const occurrence = (reached.get(name) ?? 0) + 1;
    reached.set(name, occurrence);
    if (name === place.name && occurrence === place.occurrence) {
      hasStruck = true;
      if (mode === 'outage') stepsOfOutage = OUTAGE_STEPS;
      return fault;
    }
    if (stepsOfOutage === 0) return null;
    stepsOfOutage -= 1;
    return fault;
  }

  return {
    arm: () => {
      isArmed = true;
    },
    disarm: () => {
      isArmed = false;
    },
    arrive,
    assertAlive,
    hasStruck: () => hasStruck,
    isDead: () => isDead,
    reached: () => reached,
  };
}

/** One operation under a plan; `fail` is how the outside would fail. */
export async function takeStep<Result>(
  plan: StepGuard,
  name: string,
  effect: () => Promise<Result>,
  fail: () => Promise<never>,
): Promise<Result> {
  const fault = plan.arrive(name);
  if (fault !== null && !fault.isLate) return await fault.happen(fail);
  const result = await effect();
  if (fault !== null) return await fault.happen(fail);
  // Others of this life that were under way when it ended may have had their effect; nobody learns of it.
  plan.assertAlive();
  return result;
}

/** No step goes wrong. */
export function planNoFault(): FaultPlan {
  return planFault({ name: '', occurrence: 0 }, 'fails');
}

/** A life that ends at its n-th step, whatever that is. */
export function planDeathAt(
  stepOfDeath: number,
  mode: 'dies' | 'dies-late',
): StepGuard & Pick<FaultPlan, 'isDead'> {
  const plan = planFault({ name: 'the step', occurrence: 1 }, mode);
  plan.arm();
  let steps = 0;
  return {
    arrive(name) {
      steps += 1;
      return plan.arrive(steps === stepOfDeath ? 'the step' : name);
    },
    assertAlive: plan.assertAlive,
    isDead: plan.isDead,
  };
}

/** Nobody is there to be told. */
class DeadError extends Error {
  override name = 'DeadError';
}
