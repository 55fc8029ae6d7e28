import { createLoggerTo } from '../../src/platform/log.ts';
import { HOSTED } from '../support/culprit.ts';
import { firstText } from '../support/first-text.ts';
import { startWorkerProcess } from '../support/role-process.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import type { CallerStage } from './callers.ts';
import type { Haystack, Secret } from './secret-search.ts';
import { once, secretUses } from './secret-uses.ts';
import { openTheatre, type Theatre } from './stage.ts';

/** A secret, and the answers that may show it: path, and how often. */
export interface PlantedSecret extends Secret {
  value: string;
  shown: { in: RegExp; times: number } | null;
}

/** A service in which every kind of secret was made and used, and everything it told anybody meanwhile. */
export interface SecretWorld {
  theatre: Theatre;
  stage: CallerStage;
  planted: PlantedSecret[];
  /** Lines of the log of every process, at its most talkative. */
  lines: string[];
  /** Every answer over HTTP, headers included, in order. */
  answers: { path: string; text: string }[];
  /** What stood in the tables while mail was waiting to be sent, and how many messages. */
  queuedTables: Haystack[];
  queuedMails: number;
  /** Keeps a secret and returns it; without `shown`, no answer may hold it. */
  plant(name: string, value: string, shown?: PlantedSecret['shown']): string;
  request(method: string, path: string, token: string | null, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts a service and makes and uses every kind of secret in it, well and badly. */
export async function plantSecrets(): Promise<SecretWorld> {
  const lines: string[] = [];
  const log = createLoggerTo({ write: (line) => void lines.push(line) }, { level: 'trace', role: 'test' });
  // The threads of a worker write to the standard output of their process, so they get one of their own.
  const theatre = await openTheatre({ log, duties: [] });
  const { culprit } = theatre;
  const answers: SecretWorld['answers'] = [];
  const forget = recordAnswers(culprit.url, answers);
  const worker = await startWorkerProcess(culprit, {
    plans: HOSTED,
    duties: ['events', 'bundles'],
    output: { level: 'trace', write: (text) => void lines.push(text) },
  });
  const planted: PlantedSecret[] = [];
  const world: SecretWorld = {
    theatre,
    stage: await theatre.newStage(),
    planted,
    lines,
    answers,
    queuedTables: [],
    queuedMails: 0,
    plant(name, value, shown = null) {
      if (value.length < 6) throw new Error(`${name} is no secret`);
      planted.push({ name, value, shown });
      return value;
    },
    request: (method, path, token, body) =>
      sendRequest(culprit.url + path, {
        method,
        token,
        json: body,
      }),
    async stop() {
      await worker.kill();
      await theatre.stop();
      forget();
    },
  };
  world.plant('invite token of the stage', world.stage.inviteToken);
  world.plant('trigger token of the stage', world.stage.triggerToken, once(/probes\/activate$/));
  for (const use of secretUses) await use(world);
  await culprit.drain();
  return world;
}

/** Keeps every answer of the service, whoever asked, until what it returns is called. */
function recordAnswers(url: string, answers: SecretWorld['answers']): () => void {
  const send = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await send(input, init);
    const target = input instanceof Request ? input.url : String(input);
    if (target.startsWith(url)) {
      const text = await firstText(response.clone());
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
      answers.push({ path: new URL(target).pathname, text: [...headers, text].join('\n') });
    }
    return response;
  };
  return () => {
    globalThis.fetch = send;
  };
}
