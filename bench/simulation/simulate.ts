import { type SeededRandom, seededRandom } from '../../packages/server/test/support/seeded-random.ts';
import { COSTS, type Waits } from './measured-costs.ts';
import {
  createProcessors,
  createVirtualTime,
  type Processors,
  sampleWaitMs,
  type VirtualTime,
} from './virtual-time.ts';

/** The load, and the machines on which it runs. */
export interface Scenario {
  eventsPerSecond: number;
  eventsPerRequest: number;
  projects: number;
  /** The most incidents to which the events of one claim belong. */
  incidentsPerProject: number;
  apiProcesses: number;
  workerThreads: number;
  /** Databases the projects are spread over. */
  databases: number;
  /** Processors: one machine for everything, or each part on its own. */
  cores: { shared: number } | { api: number; worker: number; database: number };
  waits: Waits;
  /** Requests of a project come to the same API process, so that more of them share an object. */
  isRoutedByProject?: boolean;
}

export interface Outcome {
  answerMs: { p50: number; p99: number };
  /** From the 202 until the events are counted. */
  lagMs: { p50: number; p99: number };
  /** Events accepted but not counted at the end; a growing number means that processing does not keep up. */
  backlogEvents: number;
  utilization: Record<'api' | 'worker' | 'database', number>;
  perSecond: { requests: number; objects: number; transactions: number; claims: number };
}

const SIMULATED_MS = 20_000;
const WARM_UP_MS = 4000;
/**
 * The values of the program: a second window opens beside a slow one, and a claim takes about this many events of one
 * project.
 */
const WINDOWS_MAX = 2;
const SECOND_WINDOW_AFTER_MS = 20;
const CLAIM_EVENTS = 1500;
/**
 * After a claim of less than half of that, a thread rests if no request waits, as long as in
 * `platform/jobs/job-loop.ts`.
 */
const REST_TIMES_WORK = 4;
const REST_MAX_MS = 50;

interface Request {
  project: number;
  events: number;
  arrivedMs: number;
}

interface StoredObject {
  events: number;
  acceptedMs: number;
}

/** Runs the shape of the program in virtual time. Equal seeds give equal outcomes. */
export function simulate(scenario: Scenario, seed: number): Outcome {
  const random = seededRandom(seed);
  const time = createVirtualTime();
  const parts = createParts(time, scenario);
  const answers: number[] = [];
  const lags: number[] = [];
  const counters = { requests: 0, objects: 0, transactions: 0, claims: 0, accepted: 0, counted: 0 };
  const queues = new Map<number, StoredObject[]>();
  const projectRows = new Map<number, Processors>();
  let idleThreads = scenario.workerThreads;

  const databaseOf = (project: number): Processors => {
    const database = parts.databases[project % parts.databases.length];
    if (database === undefined) throw new Error('a scenario needs a database');
    return database;
  };

  function startApi(): (request: Request) => void {
    let gathered: Request[] = [];
    let open = 0;
    let lastOpenedMs = 0;

    function openWindow(): void {
      if (gathered.length === 0 || open >= WINDOWS_MAX) return;
      const isFree = open === 0 || time.nowMs() - lastOpenedMs >= SECOND_WINDOW_AFTER_MS;
      if (!isFree) return;
      const requests = gathered;
      gathered = [];
      open += 1;
      lastOpenedMs = time.nowMs();
      time.after(SECOND_WINDOW_AFTER_MS, openWindow);
      runWindow(requests, () => {
        open -= 1;
        openWindow();
      });
    }

    return (request) => {
      parts.api.work(milliseconds(COSTS.apiUs.perRequest + COSTS.apiUs.perEvent * request.events), () => {
        gathered.push(request);
        openWindow();
      });
    };
  }

  /** Admission, an object per project, one transaction, the answers. */
  function runWindow(requests: readonly Request[], then: () => void): void {
    const events = new Map<number, number>();
    for (const { project, events: count } of requests)
      events.set(project, (events.get(project) ?? 0) + count);
    const database = databaseOf(requests[0]?.project ?? 0);
    const { perWindow, perObject } = COSTS.intakeDatabaseUs;
    const { databaseRoundTrip, objectWrite, commit } = scenario.waits;
    parts.api.work(milliseconds(scenario.waits.apiPerWindowUs), () => {});
    database.work(milliseconds(perWindow / 2), () => {
      const writesMs = Math.max(...[...events].map(() => sampleWaitMs(random, objectWrite)));
      time.after(databaseRoundTrip + writesMs, () => {
        database.work(milliseconds(perWindow / 2 + perObject * events.size), () => {
          time.after(databaseRoundTrip + sampleWaitMs(random, commit), () => {
            counters.transactions += 2;
            counters.objects += events.size;
            for (const request of requests) note(answers, time.nowMs() - request.arrivedMs);
            for (const [project, count] of events) enqueue(project, count);
            then();
          });
        });
      });
    });
  }

  function enqueue(project: number, events: number): void {
    counters.accepted += events;
    const stored = { events, acceptedMs: time.nowMs() };
    const queue = queues.get(project);
    if (queue === undefined) queues.set(project, [stored]);
    else queue.push(stored);
    claim();
  }

  /** A thread takes objects of the next project in turn. */
  function claim(): void {
    if (idleThreads === 0) return;
    for (const [project, queue] of queues) {
      const taken: StoredObject[] = [];
      let events = 0;
      while (queue.length > 0 && events < CLAIM_EVENTS) {
        const object = queue.shift();
        if (object === undefined) break;
        taken.push(object);
        events += object.events;
      }
      queues.delete(project);
      // Behind the others, so that projects take turns.
      if (queue.length > 0) queues.set(project, queue);
      idleThreads -= 1;
      process(project, taken, events);
      return;
    }
  }

  function process(project: number, objects: readonly StoredObject[], events: number): void {
    const { workerUs, processDatabaseUs } = COSTS;
    const { databaseRoundTrip, objectRead, commit } = scenario.waits;
    const incidents = Math.min(events, scenario.incidentsPerProject);
    const beganMs = time.nowMs();
    const readMs = Math.max(...objects.map(() => sampleWaitMs(random, objectRead)));
    time.after(databaseRoundTrip + readMs, () => {
      const workMs = milliseconds(
        workerUs.perClaim + workerUs.perObject * objects.length + workerUs.perEvent * events,
      );
      parts.worker.work(milliseconds(workerUs.collectorPerEvent * events), () => {});
      parts.worker.work(workMs, () => {
        const { perClaim, perObject, perEvent, perIncident } = processDatabaseUs;
        const databaseMs = milliseconds(
          perClaim + perObject * objects.length + perEvent * events + perIncident * incidents,
        );
        // Two transactions of one project wait for each other's incidents.
        rowsOf(project).work(databaseMs, () => {
          time.after(10 * databaseRoundTrip + sampleWaitMs(random, commit), () => {
            counters.transactions += 1;
            counters.claims += 1;
            counters.counted += events;
            for (const { acceptedMs } of objects) note(lags, time.nowMs() - acceptedMs);
            const workMs = time.nowMs() - beganMs;
            const isQuiet = 2 * events < CLAIM_EVENTS && queues.size === 0;
            const restMs = isQuiet ? Math.min(REST_TIMES_WORK * workMs, REST_MAX_MS) : 0;
            time.after(restMs, () => {
              idleThreads += 1;
              claim();
            });
          });
        });
        databaseOf(project).work(databaseMs, () => {});
      });
    });
  }

  function rowsOf(project: number): Processors {
    const known = projectRows.get(project);
    if (known !== undefined) return known;
    const made = createProcessors(time, 1);
    projectRows.set(project, made);
    return made;
  }

  function note(list: number[], valueMs: number): void {
    if (time.nowMs() >= WARM_UP_MS) list.push(valueMs);
  }

  const apis = Array.from({ length: scenario.apiProcesses }, startApi);
  arrive(time, random, scenario, (request) => {
    counters.requests += 1;
    const turn = scenario.isRoutedByProject === true ? request.project : counters.requests;
    apis[turn % apis.length]?.(request);
  });
  time.runUntil(SIMULATED_MS);

  const perSecond = (count: number) => count / (SIMULATED_MS / 1000);
  return {
    answerMs: quantiles(answers),
    lagMs: quantiles(lags),
    backlogEvents: counters.accepted - counters.counted,
    utilization: parts.utilization(SIMULATED_MS),
    perSecond: {
      requests: perSecond(counters.requests),
      objects: perSecond(counters.objects),
      transactions: perSecond(counters.transactions),
      claims: perSecond(counters.claims),
    },
  };
}

interface Parts {
  api: Processors;
  worker: Processors;
  databases: Processors[];
  utilization(ofMs: number): Outcome['utilization'];
}

function createParts(time: VirtualTime, { cores, databases }: Scenario): Parts {
  if ('shared' in cores) {
    const machine = createProcessors(time, cores.shared);
    const share = (ofMs: number) => machine.busyMs() / (ofMs * machine.count);
    return {
      api: machine,
      worker: machine,
      databases: [machine],
      utilization: (ofMs) => ({ api: share(ofMs), worker: share(ofMs), database: share(ofMs) }),
    };
  }
  const api = createProcessors(time, cores.api);
  const worker = createProcessors(time, cores.worker);
  const each = Array.from({ length: databases }, () => createProcessors(time, cores.database));
  const share = (part: Processors, ofMs: number) => part.busyMs() / (ofMs * part.count);
  return {
    api,
    worker,
    databases: each,
    utilization: (ofMs) => ({
      api: share(api, ofMs),
      worker: share(worker, ofMs),
      database: Math.max(...each.map((database) => share(database, ofMs))),
    }),
  };
}

/** Requests at random moments, the first projects sending most. */
function arrive(
  time: VirtualTime,
  random: SeededRandom,
  scenario: Scenario,
  receive: (request: Request) => void,
): void {
  const requestsPerMs = scenario.eventsPerSecond / scenario.eventsPerRequest / 1000;

  function next(): void {
    const waitMs = -Math.log(1 - random.integer(0, 999_999) / 1_000_000) / requestsPerMs;
    time.after(waitMs, () => {
      const share = random.integer(0, 999_999) / 1_000_000;
      // Half of all requests come from the first tenth of the projects.
      const project = Math.floor(share ** 3.32 * scenario.projects);
      receive({ project, events: scenario.eventsPerRequest, arrivedMs: time.nowMs() });
      next();
    });
  }
  next();
}

function quantiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function milliseconds(microseconds: number): number {
  return microseconds / 1000;
}
