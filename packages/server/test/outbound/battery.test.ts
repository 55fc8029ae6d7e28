// Proves 32.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTarget } from '../../src/platform/outbound/check-target.ts';
import { parseTarget } from '../../src/platform/outbound/target.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { type Canaries, startCanaries } from '../support/canaries.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { asHost, BLOCKED_HOSTS, PUBLIC_ADDRESSES } from './blocked-addresses.ts';
import { policyWith } from './policy-with.ts';
import { nameEach, runBattery } from './run-battery.ts';

const SCHEMES = ['http', 'https'];

describe('the outgoing battery, in the form with loopback aliases', () => {
  let dns: DnsServer;
  let canaries: Canaries;

  beforeAll(async () => {
    dns = await startDnsServer();
    canaries = await startCanaries([80, 443]);
  });
  afterAll(async () => {
    await canaries.close();
    await dns.close();
  });

  it('refuses every blocked target at every sink, with http and https, and connects to none', async () => {
    const outcome = await runBattery(dns);
    expect(outcome.wrong).toEqual([]);
    expect(outcome.targets).toBeGreaterThanOrEqual(110);
    expect(canaries.connections).toEqual([]);
    recordFigure(32, `${outcome.targets} targets, 0 connections`);
  });

  it('lets public addresses pass, as written and under a name', async () => {
    const policy = policyWith({ nameServers: [dns.address] });
    const hosts = [...PUBLIC_ADDRESSES.map(asHost), ...nameEach(dns, PUBLIC_ADDRESSES)];
    const urls = hosts.flatMap((host) => SCHEMES.map((scheme) => `${scheme}://${host}/x`));
    const outcomes = await Promise.all(urls.map(async (url) => [url, await checkTarget(url, policy)]));
    expect(outcomes.filter(([, outcome]) => outcome !== 'allowed')).toEqual([]);
    expect(hosts.length).toBeGreaterThanOrEqual(40);
  });

  it('refuses by the text alone whatever needs no look-up', () => {
    const policy = policyWith();
    const passed = BLOCKED_HOSTS.filter(
      (host) => parseTarget(`https://${host}/x`, policy, { purpose: 'availability_check' }).ok,
    );
    expect(passed).toEqual([]);
  });
});
