import type { Role } from '@culprit/contract/endpoints/endpoint';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { managementClient } from '../support/management-client.ts';
import type { Answer } from '../support/send-events.ts';
import type { CaseNames } from './case-notation.ts';

export type PlanName = 'free' | 'solo' | 'team';

/** Projects, tokens and state of one case: fresh for each, made when the case first names them. */
export interface CaseWorld {
  culprit: TestCulprit;
  project(plan: PlanName): Promise<TestProject>;
  /** The token of a name, such as `SOLO`, `WEB` or `MEMBER`. */
  token(name: string): Promise<string>;
  /** A path of the checklist with the ids of the projects it names. */
  path(text: string): Promise<string>;
  /** Gives a name to a further token of a project. */
  addToken(name: string, plan: PlanName, allowedOrigins?: readonly string[]): Promise<string>;
  /** Values that steps and givens saved, for `$name`. */
  saved: Map<string, string>;
  /** What stands behind a bare name, such as `inc_1`; those of projects are there once they are made. */
  aliases: Map<string, string>;
  /** What the latest step was answered, for notes. */
  lastAnswer: Answer | null;
  names(when: JsonObject): Promise<CaseNames>;
  /** An event of a fixture, with an id of its own. */
  event(fixture: string, set?: JsonObject): JsonObject;
  saveOverrides(plan: PlanName, overrides: JsonObject): Promise<void>;
  /** Something to be undone when the case is over, whatever comes of it. */
  onRestore(undo: () => Promise<void>): void;
  restore(): Promise<void>;
}

const PLAN_OF_TOKEN: Readonly<Record<string, PlanName>> = { FREE: 'free', SOLO: 'solo', TEAM: 'team' };
const WEB_ORIGINS = ['https://app.example.com'];

/** Whose member tokens these are; `OUTSIDER` has a place in none of the projects. */
const PEOPLE: Readonly<Record<string, Role | null>> = {
  OWNER: 'owner',
  ADMIN: 'admin',
  MEMBER: 'member',
  OUTSIDER: null,
};

/**
 * @param hasOthers somebody else than the owner acts. Below Team that is paused (docs/contract/account.md 1.7), so every project is on
 * Team then, with the preset of its name: what such cases look at is the same on all plans.
 */
export function createCaseWorld(
  culprit: TestCulprit,
  fixtures: ReadonlyMap<string, JsonObject>,
  hasOthers = false,
): CaseWorld {
  const projects = new Map<PlanName, Promise<TestProject>>();
  const people = new Map<string, Promise<TestProject>>();
  const tokens = new Map<string, string>();
  const aliases = new Map<string, string>();
  const undoings: (() => Promise<void>)[] = [];

  async function createProject(plan: PlanName): Promise<TestProject> {
    const created = await culprit.createProject(
      hasOthers ? { plan: 'team', preset: plan === 'free' ? 'minimal' : 'balanced' } : { plan },
    );
    aliases.set(plan, created.projectId);
    return created;
  }

  function project(plan: PlanName): Promise<TestProject> {
    let made = projects.get(plan);
    if (made === undefined) {
      made = createProject(plan);
      projects.set(plan, made);
    }
    return made;
  }

  /** A person, who also has a project of their own. */
  function person(name: string): Promise<TestProject> {
    let made = people.get(name);
    if (made === undefined) {
      made = name === 'OWNER' ? project('solo') : culprit.createProject();
      people.set(name, made);
    }
    return made;
  }

  async function path(text: string): Promise<string> {
    let written = text;
    for (const plan of ['free', 'solo', 'team'] as const) {
      const place = `/projects/${plan}/`;
      if (!written.includes(place)) continue;
      written = written.replace(place, `/projects/${(await project(plan)).projectId}/`);
    }
    for (const [name, id] of aliases) {
      written = written.replace(`/incidents/${name}/`, `/incidents/${id}/`);
      written = written.replace(`project_id=${name}`, `project_id=${id}`);
    }
    return written;
  }

  async function giveRoles(): Promise<void> {
    for (const [name, role] of Object.entries(PEOPLE)) {
      const found = await people.get(name);
      if (found === undefined || role === null) continue;
      for (const { projectId } of await Promise.all(projects.values())) {
        await culprit.database.query(
          {
            name: 'test-give-role',
            text: `insert into project_members (project_id, user_id, role) values ($1, $2, $3)
              on conflict do nothing`,
          },
          [parseId(['proj'], projectId), found.userId, role],
        );
      }
    }
  }

  async function addToken(name: string, plan: PlanName, allowedOrigins: readonly string[] = []) {
    const { projectId, memberToken } = await project(plan);
    const owner = managementClient(culprit, memberToken);
    const { plaintext } = await owner.createProjectToken(projectId, {
      label: name,
      allowed_origins: [...allowedOrigins],
    });
    tokens.set(name, plaintext);
    return plaintext;
  }

  async function token(name: string): Promise<string> {
    const known = tokens.get(name);
    if (known !== undefined) return known;
    if (name === 'WEB') return await addToken('WEB', 'solo', WEB_ORIGINS);
    if (Object.hasOwn(PEOPLE, name)) return (await person(name)).memberToken;
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
    path,
    saved: new Map(),
    aliases,
    lastAnswer: null,

    async names(when) {
      const named = new Map<string, string>();
      const text = JSON.stringify(when);
      for (const name of [...Object.keys(PLAN_OF_TOKEN), ...Object.keys(PEOPLE), 'WEB', ...tokens.keys()]) {
        if (text.includes(`"${name}"`)) named.set(name, await token(name));
      }
      // People need their roles in the projects of this request too.
      await path(text);
      await giveRoles();
      return {
        fixtures,
        saved: this.saved,
        tokenNamed: (name) => named.get(name) ?? aliases.get(name) ?? null,
      };
    },

    event(fixture, set = {}) {
      const event = fixtures.get(fixture);
      if (event === undefined) throw new Error(`no fixture is called ${fixture}`);
      return { ...structuredClone(event), event_id: crypto.randomUUID(), ...set };
    },

    onRestore(undo) {
      undoings.push(undo);
    },

    async restore() {
      for (const undo of undoings.splice(0).reverse()) await undo();
    },
  };
}
