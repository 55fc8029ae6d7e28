/**
 * The cost of work, measured with this benchmark on two shared cores (see `docs/scaling.md` for how). All results of
 * the simulation follow from these figures and from the shape of the program.
 */
export interface Costs {
  /** Processor time of the API process, its collector included; that of a window is in `Waits`, because it stores. */
  apiUs: { perRequest: number; perEvent: number };
  /** Processor time of PostgreSQL for a window of the event intake, and for each object in it. */
  intakeDatabaseUs: { perWindow: number; perObject: number };
  /** Processor time of a worker thread, and of the helpers of its collector, which work beside it. */
  workerUs: { perClaim: number; perObject: number; perEvent: number; collectorPerEvent: number };
  /** Processor time of PostgreSQL while it takes in what a worker found. */
  processDatabaseUs: { perClaim: number; perObject: number; perEvent: number; perIncident: number };
  bytes: {
    /** In the object store, after compression. */
    objectPerEvent: number;
    /** Its row with its indexes, for as long as events are kept; the row of its id for seven days. */
    eventRow: number;
    idRow: number;
    /** Written ahead by PostgreSQL. */
    logPerEvent: number;
  };
}

export const COSTS: Costs = {
  apiUs: { perRequest: 300, perEvent: 30 },
  intakeDatabaseUs: { perWindow: 120, perObject: 45 },
  workerUs: { perClaim: 2000, perObject: 150, perEvent: 85, collectorPerEvent: 40 },
  processDatabaseUs: { perClaim: 2000, perObject: 40, perEvent: 47, perIncident: 65 },
  bytes: { objectPerEvent: 250, eventRow: 310, idRow: 116, logPerEvent: 900 },
};

/** Waiting that costs no processor, in milliseconds: typical and, in one of a hundred cases, slow. */
export interface Waits {
  /** Not waiting, but it depends on the same: processor time of the API for a window, the threads for its files included. */
  apiPerWindowUs: number;
  objectWrite: { typical: number; slow: number };
  objectRead: { typical: number; slow: number };
  commit: { typical: number; slow: number };
  databaseRoundTrip: number;
}

/** Files and PostgreSQL on the machine's own disk. */
export const LOCAL_WAITS: Waits = {
  apiPerWindowUs: 1200,
  objectWrite: { typical: 0.6, slow: 5 },
  objectRead: { typical: 0.1, slow: 2 },
  commit: { typical: 0.9, slow: 6 },
  databaseRoundTrip: 0.1,
};

/** An object store and a replicated PostgreSQL in the same region. */
export const REGION_WAITS: Waits = {
  apiPerWindowUs: 2600,
  objectWrite: { typical: 25, slow: 120 },
  objectRead: { typical: 15, slow: 80 },
  commit: { typical: 2.5, slow: 15 },
  databaseRoundTrip: 0.6,
};

/** Prices to reckon with, in US dollars; round figures of public lists, to be replaced by one's own. */
export const PRICES = {
  coreMonth: 25,
  databaseCoreMonth: 60,
  databaseGigabyteMonth: 0.12,
  objectGigabyteMonth: 0.023,
  objectWritesPerMillion: 5,
  objectReadsPerMillion: 0.4,
};
