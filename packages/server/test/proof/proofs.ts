/**
 * The catalogue of what is proven about reliability and security: what each proof must show. Which tests hold it
 * says a line in each of their files, such as `// Proves 3, 11.`. `docs/reliability.md` is made of both.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, isInLane, LANES, type Lane, laneOf, ROOT, readTestFiles } from '../lanes/test-files.ts';

interface Promised {
  number: number;
  title: string;
  /** What is required. */
  pass: string;
  /** Which part of it is not there, or proven elsewhere. */
  missing?: string;
}

export interface Proof extends Promised {
  /** The first lane in which it is proven whole. */
  lane: Lane;
  /** From the root of the repository, in order. */
  files: readonly string[];
}

const PROMISED: readonly Promised[] = [
  {
    number: 1,
    title:
      'Random kills of API, worker, PostgreSQL and supervisor under load (10 in the standard lane, 200 in the long)',
    pass: 'lost 0, counted twice 0',
  },
  {
    number: 2,
    title: 'Every step of the intake and batch path fails or dies in turn',
    pass: 'lost 0, twice 0, stuck 0',
  },
  {
    number: 3,
    title: 'Object sync, directory sync, commit, answer, in this order',
    pass: '500 of 500 in order',
  },
  {
    number: 4,
    title: 'Each job delivered three times, stalled leases',
    pass: 'counts and intents exact',
  },
  {
    number: 5,
    title: 'The same event_id five times in parallel on two processes',
    pass: '1,000 groups counted once',
  },
  {
    number: 6,
    title:
      'Simulated workers with random schedules and deaths (500 in the standard lane, 10,000 in the long)',
    pass: 'invariants hold',
  },
  {
    number: 7,
    title: 'SIGTERM under load, with a request half sent',
    pass: 'no cut answers, exit within 10 s',
  },
  {
    number: 8,
    title: 'A backlog of 100,000 events with a second tenant beside it',
    pass: '100 s; a fresh event within 10 s',
  },
  {
    number: 9,
    title: 'Poison events that throw, loop or eat memory',
    pass: 'others counted beside it, poison parked',
  },
  {
    number: 10,
    title: 'PostgreSQL refuses, hangs, is cut off, restarts',
    pass: '503 while it lasts, recovered in 5 s or 10 s',
  },
  {
    number: 11,
    title: 'The object store refuses, is slow, errs, stores and then fails, holds a damaged object',
    pass: '503 or stored; 97 % accepted at 30 % errors',
  },
  {
    number: 12,
    title: 'Object and database volume full, then freed',
    pass: '503, no crash, recovered in 10 s',
  },
  {
    number: 13,
    title: 'SMTP refuses, hangs, defers, rejects, drops after the body',
    pass: 'one copy, at most two in the last case',
  },
  {
    number: 14,
    title: 'Webhook receivers that hang, err, redirect, send huge bodies, reset, flap',
    pass: 'states and schedule as in the contract',
  },
  {
    number: 15,
    title: '50 hanging receivers',
    pass: 'others get everything first',
  },
  {
    number: 16,
    title: 'DNS dead, slow, empty',
    pass: 'fixed error, nothing blocked',
  },
  {
    number: 17,
    title: 'The wall clock jumps two hours, both ways',
    pass: 'no duplicates, nothing lost or revived',
  },
  {
    number: 18,
    title: 'Two workers race on batch, incident, cooldown, allowance',
    pass: 'one effect, 1,000 rounds',
  },
  {
    number: 19,
    title: 'Availability slots with two workers and kills',
    pass: 'no duplicate',
  },
  {
    number: 20,
    title: '200 bodies of 1 MB in the worst shapes',
    pass: 'peak 512 MB, 503 for the rest',
  },
  {
    number: 21,
    title: 'Size edges: body, chunked body, headers, target',
    pass: 'exact, never 5xx',
  },
  {
    number: 22,
    title: 'Decompression bombs, broken streams',
    pass: '8 MB growth',
  },
  {
    number: 23,
    title: 'Slow sockets',
    pass: 'good ones served beside them, slow ones closed',
  },
  {
    number: 24,
    title: 'Three times capacity',
    pass: 'answered or refused at once, 70 % useful',
    missing: 'limits and refusals are tested; the rate is a row of the benchmark (`overload`)',
  },
  {
    number: 25,
    title: 'One tenant floods',
    pass: 'the other keeps 95 %',
  },
  {
    number: 26,
    title: 'Rate limit over two processes',
    pass: 'exact',
  },
  {
    number: 27,
    title: 'Every pattern: attack strings in doubling sizes',
    pass: '500 steps per character, ratio 2.5; 250 million characters read per event at the caps',
  },
  {
    number: 28,
    title: 'Soak, one hour',
    pass: 'flat memory, sockets, queue',
  },
  {
    number: 29,
    title: 'Backup under load, restore (1 in the standard lane, 8 in the long)',
    pass: 'nothing accepted is missing',
  },
  {
    number: 30,
    title: 'Migrations, killed in between, older release on a newer schema',
    pass: 'lost 0, locks 1 s',
    missing: 'there is no earlier release yet to migrate from',
  },
  {
    number: 31,
    title: 'Retention and project deletion with kills',
    pass: 'exact',
  },
  {
    number: 32,
    title: 'Outgoing battery: http and https, all sinks, with canaries',
    pass: '0 packets',
  },
  {
    number: 33,
    title: 'Rebinding, mixed answers, redirects, own address, allow-list',
    pass: '0 packets, 40 good cases pass',
  },
  {
    number: 34,
    title: 'Import lint with a planted import',
    pass: 'found',
  },
  {
    number: 35,
    title: 'Authorization matrix generated from the contract',
    pass: '0 wrong',
  },
  {
    number: 36,
    title: 'Every id replaced by a foreign, unknown, malformed one, or one of another kind',
    pass: '0 wrong, same answer',
  },
  {
    number: 37,
    title: 'Response and write fields per role',
    pass: '0 extra',
  },
  {
    number: 38,
    title: 'Two organizations, random operations, canaries (1,500 in the standard lane, 10,000 in the long)',
    pass: '0 foreign',
  },
  {
    number: 39,
    title: 'Revocation, removal, role change, logout against a second process',
    pass: '0 late of 1,000',
  },
  {
    number: 40,
    title: 'Tokens and secrets searched in database, objects, logs, answers',
    pass: '0 hits',
  },
  {
    number: 41,
    title: 'Timing of secret comparisons',
    pass: 't below 4.5',
  },
  {
    number: 42,
    title: 'Codes, sessions, cookies, lifetimes one second before and after',
    pass: 'exact',
  },
  {
    number: 43,
    title: 'CSRF on every cookie operation',
    pass: '0 executed',
  },
  {
    number: 44,
    title: 'CORS and allowed_origins, 40 tricks',
    pass: 'exact match only, never credentials for foreign origins where a cookie is read',
  },
  {
    number: 45,
    title: 'Dashboard in Chromium with hostile incidents',
    pass: '0 scripts, 0 foreign requests',
  },
  {
    number: 46,
    title: 'OAuth, device flow, invites: crossed, repeated, parallel',
    pass: '0 succeeded',
  },
  {
    number: 47,
    title: 'Relay: types, sizes, credentials, trust fields, fixed target',
    pass: '0 wrong',
  },
  {
    number: 48,
    title: 'OpenAPI fuzz (800 in the standard lane, 50,000 in the long)',
    pass: '5xx 0, schema breaks 0',
  },
  {
    number: 49,
    title: 'Malformed event corpus',
    pass: '5xx 0, dead letters 0',
  },
  {
    number: 50,
    title: 'Raw HTTP corpus',
    pass: '5xx 0, desync 0',
  },
  {
    number: 51,
    title: 'Injection into SQL, cursors, logs, object prototypes',
    pass: '0',
  },
  {
    number: 52,
    title: 'Webhook signature vector and random bodies',
    pass: 'all verify',
  },
  {
    number: 53,
    title: 'Packages: lockfile, licences, install without scripts, at most 160 at run time',
    pass: 'clean',
  },
  {
    number: 54,
    title: 'At the 202: object, row and job exist; for each refusal none of them',
    pass: '100 %',
  },
];

/** The numbers that a test file says it proves, in the order in which it says them. */
export function provenBy(source: string): number[] {
  const tags = source.matchAll(/^\/\/ Proves (\d+(?:, \d+)*)\.$/gm);
  return [...tags].flatMap(([, numbers = '']) => numbers.split(', ').map(Number));
}

/** What each test file says, by its path from the root of the repository; those that say nothing are absent. */
export function readTags(): Map<string, number[]> {
  const tags = readTestFiles().map(({ path }): [string, number[]] => [
    path,
    provenBy(readFileSync(join(ROOT, path), 'utf8')),
  ]);
  return new Map(tags.filter(([, numbers]) => numbers.length > 0));
}

/** Each promise with the tests that say they prove it. */
export function readProofs(): Proof[] {
  const tags = readTags();
  return PROMISED.map((promised) => {
    const files = [...tags].filter(([, numbers]) => numbers.includes(promised.number)).map(([path]) => path);
    return { ...promised, files, lane: laneOfProof(promised, files) };
  });
}

/** The first lane that runs every file, and the long one where its size is part of what is promised. */
function laneOfProof({ title }: Promised, files: readonly string[]): Lane {
  const isLarge = / in the standard lane, [\d,]+ in the long\)$/.test(title);
  if (isLarge && files.some((path) => importsOf(path).includes(RUN_SIZE))) return 'long';
  // What the long lane only adds to is proven by the files before it.
  const lanes = files.map(laneOf);
  const before = lanes.filter((lane) => lane !== 'long');
  const needed = before.length > 0 ? before : lanes;
  return LANES.find((lane) => needed.every((of) => isInLane(of, lane))) ?? 'long';
}

const RUN_SIZE = 'packages/server/test/support/run-size.ts';
