import type { Page } from 'playwright-core';
import type { Screen } from './screens.ts';

/** What a screen looks like while something is open, on its way, absent or failed. */
interface State {
  name: string;
  /** Brings a page, on which nothing is routed, into the state. */
  show: (page: Page) => Promise<void>;
}

const NO_INCIDENT = 'inc_00000000-0000-4000-8000-000000000000';
/** Channels whose fields differ from those of an address alone. */
const CHANNELS = ['pagerduty', 'telegram', 'teams', 'ntfy', 'template'];
/** More than change without a confirmation. */
const MANY = 51;
const FOLDED = ['Request and response', 'Reproduce', 'Logs', 'Environment', 'All events', 'Grouping'];

/** States of the list, of an incident and of forms, most of them by keys. */
export function statesOf(url: string, screens: readonly Screen[]): State[] {
  const at = (name: Screen['name']) => url + (screens.find((screen) => screen.name === name)?.path ?? '/');
  const keysOn = (open: (page: Page) => Promise<void>, keys: readonly string[]) => async (page: Page) => {
    await open(page);
    for (const key of keys) await page.keyboard.press(key);
  };
  const list = async (page: Page) => {
    await page.goto(at('incidents'));
    await page.getByRole('table', { name: 'Incidents' }).getByRole('link').first().waitFor();
  };
  const incident = async (page: Page) => {
    await page.goto(at('incident'));
    await page.getByRole('button', { name: 'Grouping' }).waitFor();
  };
  const address = (path: string) => async (page: Page) => {
    await page.goto(path);
  };
  const pressed = (name: Screen['name'], button: RegExp) => async (page: Page) => {
    await page.goto(at(name));
    await page.getByRole('button', { name: button }).first().click();
  };
  /** Without an answer to what an address holds. */
  const waiting = (name: Screen['name'], part: string) => async (page: Page) => {
    await page.route(part, () => {});
    await page.goto(at(name));
  };
  return [
    { name: 'palette', show: keysOn(list, ['Control+k']) },
    { name: 'keyboard', show: keysOn(list, ['?']) },
    { name: 'preview', show: keysOn(list, ['j', ' ']) },
    { name: 'selected', show: keysOn(list, ['j', 'x', 'j', 'x']) },
    { name: 'resolved', show: keysOn(list, ['j', 'e']) },
    { name: 'snooze-menu', show: keysOn(incident, ['s']) },
    { name: 'assign-menu', show: keysOn(incident, ['a']) },
    { name: 'filter-like-these', show: keysOn(incident, ['r']) },
    {
      name: 'many-selected',
      async show(page) {
        await list(page);
        // Narrow lists have no header, so no box for all rows.
        for (let row = 0; row < MANY; row += 1) for (const key of ['j', 'x']) await page.keyboard.press(key);
        await page.keyboard.press('e');
      },
    },
    {
      name: 'unfolded',
      async show(page) {
        await incident(page);
        for (const name of FOLDED) await page.getByRole('button', { name, exact: true }).click();
      },
    },
    { name: 'nothing-found', show: address(`${at('incidents')}?q=qwertz`) },
    { name: 'misspelled', show: address(`${at('incidents')}?q=servce:api`) },
    { name: 'no-incident', show: address(`${url}/incidents/${NO_INCIDENT}`) },
    { name: 'not-found', show: address(`${url}/nothing/here`) },
    { name: 'loading-list', show: waiting('incidents', '**/v1/incidents?**') },
    { name: 'loading-evidence', show: waiting('incident', '**/bundle') },
    {
      name: 'failed',
      async show(page) {
        const body = JSON.stringify({ error: 'internal_error' });
        await page.route('**/v1/**', (route) =>
          route.fulfill({ status: 500, contentType: 'application/json', body }),
        );
        await page.goto(at('incidents'));
      },
    },
    { name: 'new-token', show: pressed('tokens', /^New token/) },
    { name: 'invite', show: pressed('people', /^Invite a person/) },
    { name: 'new-probe', show: pressed('probes', /^Enable a probe/) },
    {
      name: 'explain-alerts',
      async show(page) {
        await incident(page);
        await page.getByRole('button', { name: 'Explain alerts' }).click();
        await page.getByRole('dialog').getByRole('table').waitFor();
      },
    },
    ...CHANNELS.map((way) => ({
      name: `alert-${way}`,
      async show(page: Page) {
        await page.goto(at('newAlert'));
        await page.getByLabel('Channel', { exact: true }).selectOption(way);
      },
    })),
    { name: 'delete-rule', show: pressed('alert', /^Delete rule/) },
  ];
}
