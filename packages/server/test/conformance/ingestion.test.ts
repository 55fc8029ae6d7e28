import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/events/json.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import {
  type CaseNames,
  type ContractCase,
  expectAnswer,
  readCaseFile,
  valueAt,
  writeOut,
  writeOutText,
} from './case-notation.ts';
import { type CaseWorld, createCaseWorld } from './case-world.ts';
import { GIVENS } from './ingestion-givens.ts';
import { NOTES } from './ingestion-notes.ts';

/**
 * The acceptance checklist of ingestion.md, 9.1 to 9.4. Left out of the data are the cases of endpoints that do not
 * exist yet: T035, T059 to T061, T072 to T075.
 */
const { fixtures, cases } = readCaseFile(fileURLToPath(new URL('ingestion-cases.jsonl', import.meta.url)));

describe('the acceptance checklist of ingestion', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED });
  });
  afterAll(() => culprit.stop());

  it.each(cases.map((each) => [each.id, each.title, each] as const))('%s %s', async (_id, _title, each) => {
    const world = createCaseWorld(culprit, fixtures);
    try {
      await runCase(each, world);
    } finally {
      await world.restore();
      await moveClock(culprit.database, 0);
    }
  });
});

async function runCase(each: ContractCase, world: CaseWorld): Promise<void> {
  const saved = new Map<string, string>();
  for (const step of each.steps) {
    if (step.given !== null) await found(GIVENS, step.given)(world);
    if (step.request === null) continue;
    const names = await world.names(step.request, saved);
    const answer = await perform(step.request, names, world);
    if (step.expected !== null) expectAnswer(answer, step.expected);
    for (const [name, path] of Object.entries(step.save)) {
      saved.set(name, String(valueAt(answer, String(path))));
    }
  }
  if (each.note !== null) await found(NOTES, each.note)(world);
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
  if (method === 'patch') return await world.patchCapturePolicy(path, body);
  const sent = raw === undefined ? written(body, names) : writeOutText(String(raw), names);
  return await sendRequest(world.culprit.url + path, {
    method: String(method).toUpperCase(),
    token: as === null ? null : writeOutText(String(as), names),
    headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)])),
    ...(sent === undefined ? {} : { body: sent }),
  });
}

function written(body: JsonValue | undefined, names: CaseNames): string | undefined {
  return body === undefined ? undefined : JSON.stringify(writeOut(body, names));
}
