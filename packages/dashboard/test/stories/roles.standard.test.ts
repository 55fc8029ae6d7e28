import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit, TestProject } from '../../../server/test/support/culprit.ts';
import { sendRequest } from '../../../server/test/support/send-events.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';

/** docs/contract/dashboard.md 4 and 11, item 27: what each role is shown of people and project, and what the API says. */

type Role = 'owner' | 'admin' | 'member';
/** Usable, there but refused with its reason, or not there at all. */
type Look = 'usable' | 'refused' | 'hidden';

/** A button, where it stands, and what it is to each role; with a request that does the same. */
const ACTIONS: readonly {
  button: string;
  path: string;
  looks: Readonly<Record<Role, Look>>;
  needs: 'admin' | 'owner' | null;
  /** What does the same without changing anything that the other roles need. */
  request: { method: string; path: string; body: object } | null;
}[] = [
  {
    button: 'Invite a person',
    path: 'people',
    looks: { owner: 'usable', admin: 'usable', member: 'refused' },
    needs: 'admin',
    request: { method: 'POST', path: '/invite', body: { email: 'someone@example.test' } },
  },
  {
    button: 'Leave the project',
    path: 'people',
    looks: { owner: 'hidden', admin: 'usable', member: 'usable' },
    needs: null,
    request: null,
  },
  {
    button: 'Save project',
    path: 'settings',
    looks: { owner: 'usable', admin: 'usable', member: 'usable' },
    needs: null,
    request: { method: 'PATCH', path: '', body: { name: 'shop' } },
  },
  {
    button: 'Delete the project',
    path: 'settings',
    looks: { owner: 'usable', admin: 'refused', member: 'refused' },
    needs: 'owner',
    request: null,
  },
  {
    button: 'New token',
    path: 'tokens',
    looks: { owner: 'usable', admin: 'usable', member: 'usable' },
    needs: null,
    request: { method: 'POST', path: '/tokens', body: { label: 'any role may' } },
  },
];
let culprit: TestCulprit;
let browser: Browser;
beforeAll(async () => {
  [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await culprit?.stop();
});

describe.each(['owner', 'admin', 'member'] as const)('as %s', { timeout: 60_000 }, (role) => {
  const ownerEmail = `roles-${role}@example.test`;
  let project: TestProject;
  let page: Page;
  let memberToken: string;
  beforeAll(async () => {
    project = await culprit.createProject({ email: ownerEmail, name: 'shop' });
    const person =
      role === 'owner'
        ? { email: ownerEmail, memberToken: project.memberToken }
        : await createCollaborator(culprit, project, role);
    memberToken = person.memberToken;
    ({ page } = await openSignedIn(browser, culprit, person.email));
  }, 60_000);

  it.each(ACTIONS)('$button is as the role allows, and the API agrees', async (action) => {
    await page.goto(`${culprit.url}/projects/${project.projectId}/${action.path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const button = page.getByRole('main').getByRole('button', { name: new RegExp(`^${action.button}`) });
    const look = action.looks[role];
    if (look === 'hidden') {
      expect(await button.count()).toBe(0);
      return;
    }
    const reason = `Needs ${action.needs}. Yours is ${role}. Ask ${ownerEmail}`;
    await button.first().waitFor();
    const told = await button.first().getAttribute('aria-description');
    if (look === 'refused') expect(told).toBe(reason);
    else expect(told).not.toBe(reason);

    if (action.request === null) return;
    const { method, path, body } = action.request;
    const answer = await sendRequest(`${culprit.url}/v1/projects/${project.projectId}${path}`, {
      method,
      token: memberToken,
      body: JSON.stringify(body),
    });
    if (look === 'refused') expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    else expect(answer.status).toBeLessThan(300);
  });
});
