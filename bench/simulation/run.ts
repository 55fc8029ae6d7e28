import { COSTS, LOCAL_WAITS, PRICES, REGION_WAITS } from './measured-costs.ts';
import { type Outcome, type Scenario, simulate } from './simulate.ts';

/** `npm run simulate [-- SEED]` prints the tables of `docs/scaling.md`. */

interface Case {
  name: string;
  scenario: Scenario;
}

/** Everything on one machine. */
const ONE_MACHINE = {
  apiProcesses: 1,
  workerThreads: 1,
  databases: 1,
  cores: { shared: 2 },
  waits: LOCAL_WAITS,
} as const;

/** Each part on separate machines, with one large database. */
const SPREAD: Scenario = {
  eventsPerSecond: 100_000,
  eventsPerRequest: 50,
  projects: 2000,
  incidentsPerProject: 200,
  apiProcesses: 8,
  workerThreads: 64,
  databases: 1,
  cores: { api: 8, worker: 24, database: 16 },
  waits: REGION_WAITS,
};

const FOUR_DATABASES: Scenario = {
  ...SPREAD,
  databases: 4,
  cores: { api: 8, worker: 24, database: 4 },
};

const CASES: readonly Case[] = [
  {
    name: '1 event/s, one machine of 2 cores',
    scenario: {
      ...ONE_MACHINE,
      eventsPerSecond: 1,
      eventsPerRequest: 1,
      projects: 3,
      incidentsPerProject: 20,
    },
  },
  {
    name: '100 events/s, one machine of 2 cores',
    scenario: {
      ...ONE_MACHINE,
      eventsPerSecond: 100,
      eventsPerRequest: 2,
      projects: 30,
      incidentsPerProject: 50,
    },
  },
  {
    name: '5,000 events/s, one machine of 2 cores',
    scenario: {
      ...ONE_MACHINE,
      eventsPerSecond: 5000,
      eventsPerRequest: 50,
      projects: 100,
      incidentsPerProject: 100,
    },
  },
  { name: '100,000 events/s, PostgreSQL with 16 cores and S3', scenario: SPREAD },
  {
    name: '100,000 events/s, projects spread over four databases of 4 cores',
    scenario: FOUR_DATABASES,
  },
  {
    name: 'the same, a project always at the same API process',
    scenario: { ...FOUR_DATABASES, isRoutedByProject: true },
  },
];

const SECONDS_PER_MONTH = 30 * 86_400;
const RETENTION_DAYS = 30;
const ID_DAYS = 7;
const seed = Number(process.argv[2] ?? 1);

const outcomes = CASES.map(({ name, scenario }) => ({ name, scenario, outcome: simulate(scenario, seed) }));
print(
  'Time',
  [
    'Case',
    '202 p50 / p99',
    'Counted after, p50 / p99',
    'Left over',
    'Busy: API, worker, database',
    'Requests, objects, transactions per s',
  ],
  outcomes.map(({ name, outcome }) => [
    name,
    pair(outcome.answerMs),
    pair(outcome.lagMs),
    `${whole(outcome.backlogEvents)} events`,
    [outcome.utilization.api, outcome.utilization.worker, outcome.utilization.database]
      .map(percent)
      .join(', '),
    [outcome.perSecond.requests, outcome.perSecond.objects, outcome.perSecond.transactions]
      .map(whole)
      .join(', '),
  ]),
);
print(
  `Space and money in a month, events kept ${RETENTION_DAYS} days`,
  ['Case', 'Objects', 'Tables', 'Write-ahead log', 'Cores', 'Storage', 'Object requests', 'Together'],
  outcomes.map(({ name, scenario, outcome }) => [name, ...money(scenario, outcome)]),
);

function money(scenario: Scenario, { perSecond }: Outcome): string[] {
  const eventsPerDay = scenario.eventsPerSecond * 86_400;
  const { bytes } = COSTS;
  const objectGigabytes = (eventsPerDay * RETENTION_DAYS * bytes.objectPerEvent) / 1e9;
  const tableGigabytes = (eventsPerDay * (RETENTION_DAYS * bytes.eventRow + ID_DAYS * bytes.idRow)) / 1e9;
  const logMegabytesPerSecond = (scenario.eventsPerSecond * bytes.logPerEvent) / 1e6;
  const { cores } = scenario;
  const isLocal = 'shared' in cores;
  const coreDollars = isLocal
    ? cores.shared * PRICES.coreMonth
    : (cores.api + cores.worker) * PRICES.coreMonth +
      scenario.databases * cores.database * PRICES.databaseCoreMonth;
  const storageDollars = isLocal
    ? (objectGigabytes + tableGigabytes) * PRICES.databaseGigabyteMonth
    : objectGigabytes * PRICES.objectGigabyteMonth + tableGigabytes * PRICES.databaseGigabyteMonth;
  const millionsOfObjects = (perSecond.objects * SECONDS_PER_MONTH) / 1e6;
  const requestDollars = isLocal
    ? 0
    : millionsOfObjects * (PRICES.objectWritesPerMillion + PRICES.objectReadsPerMillion);
  return [
    `${whole(objectGigabytes)} GB`,
    `${whole(tableGigabytes)} GB`,
    `${logMegabytesPerSecond.toPrecision(2)} MB/s`,
    `$${whole(coreDollars)}`,
    `$${whole(storageDollars)}`,
    `$${whole(requestDollars)}`,
    `$${whole(coreDollars + storageDollars + requestDollars)}`,
  ];
}

function print(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`**${title}** (seed ${seed})\n\n${lines.join('\n')}\n\n`);
}

function pair({ p50, p99 }: { p50: number; p99: number }): string {
  return `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
