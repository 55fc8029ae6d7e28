import { policyOf } from '@culprit/contract/capture/policy';
import { api } from '@culprit/contract/endpoints/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoggerTo } from '../../src/platform/log.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { openTheatre, type Theatre } from '../security/stage.ts';
import { countRows } from '../support/count-rows.ts';
import { chooseSeed } from '../support/seeded-random.ts';
import { type FuzzOutcome, fuzz } from './fuzz-run.ts';

/** Most of a lane's time is spent waiting: for mails, workers and answers. */
const LANES = 6;
const FAULTS_SHOWN = 20;

/** What an intake says that got no connection within a second; its sender was answered 503. */
const SLOW_MACHINE = 'Connection terminated due to connection timeout';

/**
 * docs/contract/reliability.md test 48: requests to every operation of the contract, by every kind of caller, as the
 * OpenAPI document allows them, nearly so, and hostile. `CULPRIT_TEST_SEED` repeats a run.
 */
export function describeFuzz(requests: number): void {
  const seed = chooseSeed();

  describe(`${requests} requests to every operation (seed ${seed})`, {
    timeout: 60_000 + requests * 60,
  }, () => {
    let theatre: Theatre;
    let outcome: FuzzOutcome;
    const logged: string[] = [];
    beforeAll(async () => {
      const log = createLoggerTo({ write: (line) => logged.push(line) }, { level: 'error', role: 'test' });
      theatre = await openTheatre({ log });
    });
    afterAll(() => theatre?.stop());

    it('are answered as the document says, and nothing wrong succeeds', async () => {
      outcome = await fuzz(theatre, { seed, requests, lanes: LANES });
      recordFigure(48, `${outcome.requests} requests, ${outcome.faults.length} wrong answers (seed ${seed})`);
      expect(outcome.faults.slice(0, FAULTS_SHOWN)).toEqual([]);
      expect(outcome.requests).toBe(requests);
    });

    it('reach every operation that somebody can succeed with', () => {
      const reachable = api.filter((endpoint) =>
        Object.values(policyOf(endpoint)).some((verdict) => typeof verdict === 'number'),
      );
      const unreached = reachable.map(({ id }) => id).filter((id) => !outcome.succeeded.has(id));
      expect(unreached).toEqual([]);
      const refused = [...outcome.statuses].reduce(
        (sum, [status, count]) => sum + (status >= 400 ? count : 0),
        0,
      );
      expect(refused / requests).toBeGreaterThan(0.2);
      expect(refused / requests).toBeLessThan(0.8);
    });

    it('leave nothing in the log of failures, and nothing that could not be processed', async () => {
      await theatre.culprit.drain();
      expect(logged.filter((line) => !line.includes(SLOW_MACHINE)).slice(0, FAULTS_SHOWN)).toEqual([]);
      expect(await countRows(theatre.culprit, 'dead_letters')).toBe(0);
      expect(await countRows(theatre.culprit, `bundles where status = 'failed'`)).toBe(0);
      expect((await fetch(`${theatre.culprit.url}/ready`)).status).toBe(200);
    });
  });
}
