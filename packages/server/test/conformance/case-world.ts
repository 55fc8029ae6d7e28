import { isJsonObject, type JsonObject, type JsonValue } from '../../src/events/json.ts';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import type { Answer } from '../support/send-events.ts';
import type { CaseNames } from './case-notation.ts';

export type PlanName = 'free' | 'solo' | 'team';

/** Projects, tokens and state of one case: fresh for each, made when the case first names them. */
export interface CaseWorld {
  culprit: TestCulprit;
  project(plan: PlanName): Promise<TestProject>;
  /** The token of a name, such as `SOLO` or `WEB`. */
  token(name: string): Promise<string>;
  /** Gives a name to a further token of a project. */
  addToken(name: string, plan: PlanName, allowedOrigins?: readonly string[]): Promise<string>;
  names(when: JsonObject, saved: ReadonlyMap<string, string>): Promise<CaseNames>;
  /** An event of a fixture, with an id of its own. */
  event(fixture: string, set?: JsonObject): JsonObject;
  saveOverrides(plan: PlanName, overrides: JsonObject): Promise<void>;
  /** Stands in for the endpoint, which does not exist yet. */
  patchCapturePolicy(path: string, body: JsonValue | undefined): Promise<Answer>;
  /** Something to be undone when the case is over, whatever comes of it. */
  onRestore(undo: () => Promise<void>): void;
  restore(): Promise<void>;
}

const PLAN_OF_TOKEN: Readonly<Record<string, PlanName>> = { FREE: 'free', SOLO: 'solo', TEAM: 'team' };
const WEB_ORIGINS = ['https://app.example.com'];

export function createCaseWorld(culprit: TestCulprit, fixtures: ReadonlyMap<string, JsonObject>): CaseWorld {
  const projects = new Map<PlanName, Promise<TestProject>>();
  const tokens = new Map<string, string>();
  const undoings: (() => Promise<void>)[] = [];

  function project(plan: PlanName): Promise<TestProject> {
    let made = projects.get(plan);
    if (made === undefined) {
      made = culprit.createProject({ plan });
      projects.set(plan, made);
    }
    return made;
  }

  async function addToken(name: string, plan: PlanName, allowedOrigins: readonly string[] = []) {
    const token = await culprit.createProjectToken((await project(plan)).projectId, allowedOrigins);
    tokens.set(name, token);
    return token;
  }

  async function token(name: string): Promise<string> {
    const known = tokens.get(name);
    if (known !== undefined) return known;
    if (name === 'WEB') return await addToken('WEB', 'solo', WEB_ORIGINS);
    if (name === 'OWNER') return (await project('solo')).memberToken;
    const plan = PLAN_OF_TOKEN[name];
    if (plan === undefined) throw new Error(`no token is called ${name}`);
    return (await project(plan)).projectToken;
  }

  async function saveOverrides(plan: PlanName, overrides: JsonObject): Promise<void> {
    const { projectId } = await project(plan);
    await culprit.database.query(
      {
        name: 'test-capture-overrides',
        text: `update projects set capture_overrides = capture_overrides || $2::jsonb where project_id = $1`,
      },
      [parseId(['proj'], projectId) ?? '', JSON.stringify(overrides)],
    );
  }

  return {
    culprit,
    project,
    token,
    addToken,
    saveOverrides,

    async names(when, saved) {
      const named = new Map<string, string>();
      const text = JSON.stringify(when);
      for (const name of [...Object.keys(PLAN_OF_TOKEN), 'WEB', 'OWNER', ...tokens.keys()]) {
        if (text.includes(`"${name}"`)) named.set(name, await token(name));
      }
      return { fixtures, saved, tokenNamed: (name) => named.get(name) ?? null };
    },

    event(fixture, set = {}) {
      const event = fixtures.get(fixture);
      if (event === undefined) throw new Error(`no fixture is called ${fixture}`);
      return { ...structuredClone(event), event_id: crypto.randomUUID(), ...set };
    },

    async patchCapturePolicy(path, body) {
      const plan = /^\/v1\/projects\/(free|solo|team)\/capture-policy$/.exec(path)?.[1];
      if ((plan !== 'free' && plan !== 'solo' && plan !== 'team') || !isJsonObject(body)) {
        throw new Error(`nothing stands in for ${path}`);
      }
      await saveOverrides(plan, body);
      return { status: 200, headers: new Headers(), body: null };
    },

    onRestore(undo) {
      undoings.push(undo);
    },

    async restore() {
      for (const undo of undoings.splice(0).reverse()) await undo();
    },
  };
}
