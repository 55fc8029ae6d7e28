import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { WEBHOOK_EVENTS } from '@culprit/contract/alerts/webhook-events';
import { WEBHOOK_HEADERS } from '@culprit/contract/alerts/webhook-payloads';
import { api } from '@culprit/contract/endpoints/api';
import { defineEndpoint } from '@culprit/contract/endpoints/endpoint';
import { PathId } from '@culprit/contract/schemas/identifiers';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bindReferencePage,
  renderReferencePage,
} from '../../../src/platform/http/reference/reference-page.ts';
import { type SampleServer, startSampleServer } from './sample-api.ts';

let sample: SampleServer;

beforeAll(async () => {
  sample = await startSampleServer({
    prepare: ({ server }) =>
      bindReferencePage(server, { endpoints: api, version: '1.2.3', serverUrl: 'https://culprit.example' }),
  });
});
afterAll(() => sample.close());

describe('the reference', () => {
  it('is one page under a policy that allows nothing but its own style', async () => {
    const response = await fetch(`${sample.address}/docs`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const page = await response.text();
    expect(page).not.toMatch(
      /<script|<style|style=|\son[a-z]+=|javascript:|https?:\/\/(?!(?:(?:[0-9a-f]{32}@|hooks\.)?culprit|github|shop)\.example)/i,
    );
    const style = await fetch(`${sample.address}/docs/style.css`);
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await style.text()).not.toMatch(/url\(|@import/);
  });

  it('shows every endpoint with an anchor, and every link on it leads somewhere', async () => {
    const page = await (await fetch(`${sample.address}/docs`)).text();
    for (const { id } of api) expect(page).toContain(`id="${id}"`);
    const ids = [...page.matchAll(/\bid="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(targets.length).toBeGreaterThan(api.length);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  });

  it('escapes all text', () => {
    const nasty = '<img src=x onerror=alert(1)>"\'&';
    const endpoint = defineEndpoint({
      id: 'nasty',
      method: 'POST',
      path: '/v1/nasty/:id',
      summary: nasty,
      auth: 'public',
      group: nasty,
      params: Type.Object({ id: PathId('incident') }),
      body: Type.Object({ [nasty]: Type.Enum([nasty], { description: nasty, default: nasty }) }),
      responses: { 200: Type.Object({ x: Type.Literal(nasty) }, { title: 'Nasty' }) },
      errors: [],
    });
    const page = renderReferencePage([endpoint], { title: nasty, version: nasty, serverUrl: nasty });
    expect(page).not.toContain('<img');
    expect(page).not.toContain('"\'&"');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('names what callers need: credential, fields, records and codes', async () => {
    const page = await (await fetch(`${sample.address}/docs`)).text();
    const article = /<article id="listIncidents"[\s\S]*?<\/article>/.exec(page)?.[0] ?? '';
    expect(article).toContain('Member token or browser session.');
    expect(article).toContain('<th scope="row">attention_after</th>');
    expect(article).toContain('<a href="#record-Incident">Incident</a>');
    expect(article).toContain('<code>400 invalid_query</code>');
    expect(article).toContain('1 to 100; default 20');
  });

  it('tells receivers of webhooks the headers, the check of the signature and every body', async () => {
    const page = await (await fetch(`${sample.address}/docs`)).text();
    for (const header of Object.keys(WEBHOOK_HEADERS)) {
      expect(page).toContain(`<th scope="row">${header}</th>`);
    }
    expect(page).toContain('timingSafeEqual(received, expected)');
    expect(page).toContain('hmac.compare_digest(');
    for (const name of WEBHOOK_EVENTS) expect(page).toContain(`id="event-${name}"`);
    const spike = /<article id="record-IncidentSpikeDetectedEvent"[\s\S]*?<\/article>/.exec(page)?.[0] ?? '';
    expect(spike).toMatch(/previous_deploy_version<\/th>.*may be absent/);
  });

  it('is as large as the decision says', async () => {
    const page = Buffer.from(await (await fetch(`${sample.address}/docs`)).arrayBuffer());
    const decision = readFileSync(
      new URL('../../../../../docs/decisions/0002-static-api-reference.md', import.meta.url),
      'utf8',
    );
    const said = /about (\d+) kB of text, about (\d+) kB compressed/.exec(decision);
    const ratios = [page, gzipSync(page)].map(
      (bytes, index) => bytes.length / 1000 / Number(said?.[index + 1]),
    );
    for (const ratio of ratios) {
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    }
  });

  it('walks to a member token, and tells of sessions and CSRF', async () => {
    const page = await (await fetch(`${sample.address}/docs`)).text();
    const section = /<section id="sign-in">[\s\S]*?<\/section>/.exec(page)?.[0] ?? '';
    for (const id of ['requestSignInCode', 'verifySignInCode', 'createMemberToken', 'startDeviceRequest']) {
      expect(section).toContain(`href="#${id}"`);
    }
    expect(section).toContain('<code>403 invalid_csrf_token</code>');
    expect(page.indexOf('<main')).toBeLessThan(page.indexOf('<nav'));
  });

  it('comes with the OpenAPI document', async () => {
    const response = await fetch(`${sample.address}/openapi.json`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3' },
      servers: [{ url: 'https://culprit.example' }],
    });
  });
});
