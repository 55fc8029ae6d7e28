import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import type { TestCulprit } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import {
  type CaseFile,
  type CaseNames,
  type ContractCase,
  expectAnswer,
  valueAt,
  writeOut,
  writeOutText,
} from './case-notation.ts';
import { type CaseWorld, createCaseWorld } from './case-world.ts';

/** What the words of `given` and `note` stand for. */
interface CaseWords {
  givens: ReadonlyMap<string, (world: CaseWorld) => Promise<void>>;
  notes: ReadonlyMap<string, (world: CaseWorld) => Promise<void>>;
}

/** Runs one case of the checklist with projects and tokens of its own. */
export async function runCase(
  culprit: TestCulprit,
  fixtures: CaseFile['fixtures'],
  each: ContractCase,
  words: CaseWords,
): Promise<void> {
  const hasOthers = /"(?:ADMIN|MEMBER)"/.test(JSON.stringify(each.steps));
  const world = createCaseWorld(culprit, fixtures, hasOthers);
  try {
    await runSteps(each, world, words);
  } finally {
    await world.restore();
    await moveClock(culprit.database, 0);
  }
}

async function runSteps(each: ContractCase, world: CaseWorld, { givens, notes }: CaseWords): Promise<void> {
  for (const step of each.steps) {
    if (step.given !== null) await found(givens, step.given)(world);
    if (step.request === null) continue;
    const names = await world.names(step.request);
    const answer = await perform(step.request, names, world);
    world.lastAnswer = answer;
    if (step.expected !== null) expectAnswer(answer, expectedOf(step.expected, names));
    for (const [name, path] of Object.entries(step.save)) {
      world.saved.set(name, String(valueAt(answer, String(path))));
    }
  }
  if (each.note !== null) await found(notes, each.note)(world);
}

function found<T>(entries: ReadonlyMap<string, T>, text: string): T {
  const entry = entries.get(text);
  if (entry === undefined) throw new Error(`nothing is known of "${text}"`);
  return entry;
}

const METHODS = ['get', 'post', 'patch', 'options', 'delete', 'put'] as const;

async function perform(when: JsonObject, names: CaseNames, world: CaseWorld): Promise<Answer> {
  const { as = null, headers = {}, body, raw, ...rest } = when;
  const [method, ...others] = Object.keys(rest);
  const path = method === undefined ? undefined : rest[method];
  if (!METHODS.some((each) => each === method) || others.length > 0 || typeof path !== 'string') {
    throw new Error(`no request: ${JSON.stringify(when)}`);
  }
  // What a request led to is there once the worker is idle.
  if (method === 'get' && path.startsWith('/v1/incidents')) await world.culprit.drain();
  const url = world.culprit.url + (await world.path(writeOutText(path, names)));
  const sent = raw === undefined ? written(body, names) : writeOutText(String(raw), names);
  return await sendRequest(url, {
    method: String(method).toUpperCase(),
    token: as === null ? null : writeOutText(String(as), names),
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name, writeOutText(String(value), names)]),
    ),
    ...(sent === undefined ? {} : { body: sent }),
  });
}

/** What is expected, with the values that earlier steps saved. */
function expectedOf(then: JsonObject, names: CaseNames): JsonObject {
  const value = writeOut(then, names);
  if (!isJsonObject(value)) throw new Error(`no expectation: ${JSON.stringify(then)}`);
  return value;
}

function written(body: JsonValue | undefined, names: CaseNames): string | undefined {
  return body === undefined ? undefined : JSON.stringify(writeOut(body, names));
}
