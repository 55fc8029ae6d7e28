import { type Measured, median, type Peer, type Target } from '../report/measured.ts';
import { type BenchContext, repeated } from '../rows/row-group.ts';
import type { Peers } from './peers.ts';
import { type Candidate, type Figures, figureOf, type Programs, type ServingProgram } from './programs.ts';
import { sendRequests } from './send-requests.ts';
import type { Sink } from './sink.ts';

/** The data that the measurements of one run of the benchmark share. */
interface SdkBench {
  context: BenchContext;
  peers: Peers;
  programs: Programs;
  sink: Sink;
}

const OURS: Candidate = '@culprit/node';
const PEER: Candidate = '@sentry/node';

const STARTS = 5;
const REQUEST_ROUNDS = 5;
const REQUESTS = 8_000;
const WARM_UP_REQUESTS = 4_000;
/** One process lets 300 through in 30 s (docs/contract/clients.md 7.3). */
const CAPTURES = 250;
const CAPTURE_PROCESSES = 4;
const STORM = 1_000_000;

/** Processor time and memory of import and `init`, in fresh processes, by turns. */
export async function measureStart(bench: SdkBench): Promise<Measured[]> {
  const runs = await repeated(bench.context, 'sdk, start', async () => {
    const figures = await byTurns(candidatesOf(bench, [OURS]), STARTS, (candidate) =>
      bench.programs.figures('start.mjs', candidate),
    );
    return (candidate: Candidate, name: string) =>
      median((figures.get(candidate) ?? []).map((each) => figureOf(each, name)));
  });
  return [
    row(bench, 'import and init of @culprit/node, processor time', 'ms', atMost(20), (candidate) =>
      runs.map((run) => run(candidate, 'startMs')),
    ),
    row(bench, 'resident memory after it', 'MB', atMost(8), (candidate) =>
      runs.map((run) => run(candidate, 'memoryMb')),
    ),
  ];
}

/** Processor time of successful requests over those of a bare server, by turns in servers that stay. */
export async function measureRequests(bench: SdkBench): Promise<Measured[]> {
  const requests = bench.context.scaled(REQUESTS);
  const runs = await repeated(bench.context, 'sdk, requests', async () => {
    const candidates = candidatesOf(bench, ['bare', OURS]);
    const servers = new Map<Candidate, ServingProgram>();
    try {
      for (const candidate of candidates) {
        const server = await bench.programs.serve('serve.mjs', candidate);
        servers.set(candidate, server);
        await sendRequests(server.port, WARM_UP_REQUESTS);
      }
      const micros = await byTurns(candidates, REQUEST_ROUNDS, async (candidate) => {
        const server = servers.get(candidate);
        if (server === undefined) throw new Error(`no server with ${candidate}`);
        const before = figureOf(await server.ask(), 'processorMicros');
        await sendRequests(server.port, requests);
        return (figureOf(await server.ask(), 'processorMicros') - before) / requests;
      });
      return (candidate: Candidate) => median(micros.get(candidate) ?? []);
    } finally {
      for (const server of servers.values()) await server.stop();
    }
  });
  const over = (candidate: Candidate) => runs.map((run) => run(candidate) - run('bare'));
  const measured = row(
    bench,
    'successful request over a bare server, processor time',
    'µs',
    atMost(12),
    over,
  );
  return [{ ...measured, details: { bareMicros: runs.map((run) => run('bare')) } }];
}

/** Processor time of the call itself: of exceptions of many kinds in requests, and of one kind again and again. */
export async function measureCaptures(bench: SdkBench): Promise<Measured[]> {
  const runs = await repeated(bench.context, 'sdk, captures', async () => {
    const figures = await byTurns(candidatesOf(bench, [OURS]), CAPTURE_PROCESSES, async (candidate) => {
      const server = await bench.programs.serve('capture.mjs', candidate);
      try {
        await sendRequests(server.port, CAPTURES);
        if (candidate === OURS) await sendRequests(server.port, 1, '/suppressed');
        return await server.ask();
      } finally {
        await server.stop();
      }
    });
    const callsOf = (candidate: Candidate) =>
      (figures.get(candidate) ?? []).flatMap((each) => numbersOf(each, 'calls')).sort((a, b) => a - b);
    return {
      share: (candidate: Candidate, share: number) => {
        const calls = callsOf(candidate);
        return calls[Math.min(calls.length - 1, Math.floor(calls.length * share))] ?? Number.NaN;
      },
      suppressed: median((figures.get(OURS) ?? []).map((each) => figureOf(each, 'suppressedMicros'))),
    };
  });
  const shares = (share: number) => (candidate: Candidate) => runs.map((run) => run.share(candidate, share));
  return [
    row(bench, 'captureException in a request, p50, processor time', 'µs', atMost(150), shares(0.5)),
    row(bench, 'captureException in a request, p99, first calls included', 'µs', atMost(1000), shares(0.99)),
    alone(
      'captureException while suppressed',
      'µs',
      atMost(10),
      runs.map(({ suppressed }) => suppressed),
    ),
  ];
}

/** Measures inactive probes. */
export async function measureProbes({ context, programs }: SdkBench): Promise<Measured[]> {
  const runs = await repeated(context, 'sdk, probes', () => programs.figures('probe.mjs', OURS));
  const values = (name: string) => runs.map((run) => figureOf(run, name));
  return [
    alone('heavy probe, dormant', 'ns', atMost(60), values('heavyNs')),
    alone('normal probe with a function', 'ns', atMost(1000), values('functionNs')),
    alone('normal probe with a primitive', 'ns', atMost(1000), values('primitiveNs')),
  ];
}

/** A loop that fails: how long it is held up, what is kept of it, and whether every failure is counted. */
export async function measureStorm({ context, programs, sink }: SdkBench): Promise<Measured[]> {
  const total = context.scaled(STORM);
  const runs = await repeated(context, 'sdk, storm', async () => {
    sink.takeOccurrences();
    const figures = await programs.figures('storm.mjs', OURS, [String(total)]);
    const bare = await programs.figures('storm.mjs', 'bare', [String(total)]);
    const counted = sink.takeOccurrences() / figureOf(figures, 'captured');
    return { figures, bare, counted };
  });
  const values = (name: string) => runs.map(({ figures }) => figureOf(figures, name));
  const ofBare = (name: string) => runs.map(({ bare }) => figureOf(bare, name));
  const million = total.toLocaleString('en-US');
  return [
    {
      ...alone(`${million} captures, processor time`, 's', atMost(10), values('seconds')),
      details: { withoutCaptureSeconds: ofBare('seconds') },
    },
    alone('memory that is held during them', 'MB', atMost(16), values('heapMb')),
    {
      ...alone('resident memory during them', 'MB', atMost(16), values('residentMb')),
      details: { withoutCaptureMb: ofBare('residentMb') },
    },
    {
      ...alone(
        'of them counted by the service',
        '%',
        { kind: 'at_least', value: 100 },
        runs.map(({ counted }) => counted * 100),
      ),
      details: { diagnostics: runs.map(({ figures }) => figures.diagnostics) },
    },
  ];
}

/** The candidates, with the peer where there is one. */
function candidatesOf({ peers }: SdkBench, own: readonly Candidate[]): Candidate[] {
  return 'missing' in peers ? [...own] : [...own, PEER];
}

/** One after the other again and again, because the machine may be busier in one minute than in the next. */
async function byTurns<Result>(
  candidates: readonly Candidate[],
  rounds: number,
  once: (candidate: Candidate) => Promise<Result>,
): Promise<Map<Candidate, Result[]>> {
  const results = new Map<Candidate, Result[]>(candidates.map((candidate) => [candidate, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const candidate of candidates) results.get(candidate)?.push(await once(candidate));
  }
  return results;
}

function row(
  { peers }: SdkBench,
  figure: string,
  unit: string,
  target: Target,
  valuesOf: (candidate: Candidate) => number[],
): Measured {
  const peer: Peer = 'missing' in peers ? peers : { name: PEER, values: valuesOf(PEER) };
  return { ...alone(figure, unit, target, valuesOf(OURS)), peer };
}

function alone(figure: string, unit: string, target: Target, values: number[]): Measured {
  return { row: 'sdk', figure, unit, values, floorValues: null, target, details: {} };
}

function atMost(value: number): Target {
  return { kind: 'at_most', value };
}

function numbersOf(figures: Figures, name: string): number[] {
  const value = figures[name];
  return Array.isArray(value) ? value.filter((each): each is number => typeof each === 'number') : [];
}
