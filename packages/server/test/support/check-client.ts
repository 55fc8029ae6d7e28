import { createClient } from '@culprit/contract/endpoints/client';
import * as checks from '@culprit/contract/monitor/availability-checks';
import * as history from '@culprit/contract/monitor/check-history';
import { readAllowedTarget } from '../../src/platform/outbound/allow-list.ts';
import type { TestCulprit, TestProject } from './culprit.ts';
import { eventually } from './eventually.ts';
import { expectOk } from './expect-ok.ts';
import { type HttpTarget, type HttpTargetOptions, startHttpTarget } from './http-target.ts';

/** What lets checks ask sites on this machine. */
export const LOCAL_SITES = { allowlist: [readAllowedTarget('127.0.0.1')] };

/** What a new check is made of where a test does not care. */
const SITE_CHECK = { name: 'Home', interval_seconds: 30 };

type Change = Partial<Parameters<CheckClient['create']>[0]>;

/** What a member does with the checks of one project, over HTTP. These throw for every other answer than the success. */
export interface CheckClient {
  create(body: {
    url: string;
    name?: string;
    method?: checks.CheckMethod;
    interval_seconds?: number;
    timeout_ms?: number;
    expected_status_min?: number;
    expected_status_max?: number;
    failure_threshold?: number;
    recovery_threshold?: number;
    environment?: string;
    service_name?: string | null;
    enabled?: boolean;
  }): Promise<checks.AvailabilityCheck>;
  read(checkId: string): Promise<checks.AvailabilityCheck>;
  update(checkId: string, change: Change): Promise<checks.AvailabilityCheck>;
  delete(checkId: string): Promise<void>;
  list(): Promise<checks.AvailabilityCheck[]>;
  /** At most 100, newest first. */
  results(checkId: string): Promise<checks.CheckResult[]>;
  /** Waits until the check has run so often in all, and returns the newest result. */
  ran(checkId: string, times: number): Promise<checks.CheckResult>;
  /** Latest first. */
  days(checkId: string): Promise<history.DailyRollup[]>;
  test(body: { url: string; method?: checks.CheckMethod; timeout_ms?: number }): Promise<{
    normalized_url: string;
    result: checks.CheckTestResult;
  }>;
}

export function checkClient(
  culprit: Pick<TestCulprit, 'url'>,
  project: Pick<TestProject, 'projectId' | 'memberToken'>,
): CheckClient {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  const id = project.projectId;

  async function results(checkId: string): Promise<checks.CheckResult[]> {
    const call = { params: { id, checkId }, query: { limit: 100 } };
    return expectOk(await api.call(checks.listAvailabilityResults, call)).results;
  }

  return {
    create: async (body) =>
      expectOk(
        await api.call(checks.createAvailabilityCheck, { params: { id }, body: { ...SITE_CHECK, ...body } }),
      ).check,
    read: async (checkId) =>
      expectOk(await api.call(checks.getAvailabilityCheck, { params: { id, checkId } })).check,
    update: async (checkId, body) =>
      expectOk(await api.call(checks.updateAvailabilityCheck, { params: { id, checkId }, body })).check,
    async delete(checkId) {
      expectOk(await api.call(checks.deleteAvailabilityCheck, { params: { id, checkId } }));
    },
    list: async () =>
      expectOk(await api.call(checks.listAvailabilityChecks, { params: { id }, query: { limit: 100 } }))
        .availability_checks,
    results,
    ran: (checkId, times) =>
      eventually(async () => {
        const found = await results(checkId);
        const [newest] = found;
        if (newest === undefined || found.length !== times) {
          throw new Error(`${found.length} runs, not ${times}`);
        }
        return newest;
      }),
    days: async (checkId) =>
      expectOk(await api.call(history.listDailyRollups, { params: { id, checkId }, query: { limit: 100 } }))
        .daily_rollups,
    test: async (body) => expectOk(await api.call(checks.testAvailabilityTarget, { params: { id }, body })),
  };
}

/** How a site answers: a status, or whatever it does with the response. */
type SiteAnswer = number | NonNullable<HttpTargetOptions['answer']>;

/** A web site on this machine that somebody's check is about. */
export interface Site {
  url: string;
  port: number;
  requests: HttpTarget['requests'];
  /** Its answer from now on; 200 at first. */
  answer(answer: SiteAnswer): void;
  close(): Promise<void>;
}

export async function startSite(first: SiteAnswer = 200): Promise<Site> {
  let current = first;
  const target = await startHttpTarget({
    answer: (request, response) => {
      if (typeof current === 'number') response.writeHead(current).end();
      else current(request, response);
    },
  });
  return {
    url: `http://127.0.0.1:${target.port}/health`,
    port: target.port,
    requests: target.requests,
    answer(next) {
      current = next;
    },
    close: () => target.close(),
  };
}
