import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { SeededRandom } from '../support/seeded-random.ts';

/** A member who resolves incidents of a service which may be gone at any moment; the next events of them regress. */
interface ResolveLoad {
  /** Answers that no member should ever get. */
  surprises(): string[];
  finish(): Promise<void>;
}

const PAUSE_MS = { min: 100, max: 400 };
const ANSWER_TIMEOUT_MS = 5000;

export function startResolveLoad(options: {
  url: string;
  memberToken: string;
  random: SeededRandom;
}): ResolveLoad {
  const { url, memberToken, random } = options;
  const surprises: string[] = [];
  let isFinishing = false;

  /** Null where no answer arrived. */
  async function ask(method: 'GET' | 'POST', path: string): Promise<unknown> {
    try {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${memberToken}` },
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      const text = await response.text();
      if (response.status === 200) return JSON.parse(text);
      if (response.status !== 503) surprises.push(`${response.status} for ${method} ${path}`);
    } catch {
      // The service is gone, or was while it answered.
    }
    return null;
  }

  async function run(): Promise<void> {
    while (!isFinishing) {
      await delay(random.integer(PAUSE_MS.min, PAUSE_MS.max));
      const listed = await ask('GET', '/v1/incidents?limit=100');
      const incidents = isJsonObject(listed) && Array.isArray(listed.incidents) ? listed.incidents : [];
      const active = incidents.flatMap((each) =>
        isJsonObject(each) && each.status !== 'resolved' ? [String(each.incident_id)] : [],
      );
      if (active.length > 0) await ask('POST', `/v1/incidents/${random.pick(active)}/resolve`);
    }
  }

  const running = run();
  return {
    surprises: () => surprises,
    async finish() {
      isFinishing = true;
      await running;
    },
  };
}
